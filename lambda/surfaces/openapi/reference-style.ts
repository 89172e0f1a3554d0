// The style of the reference page, light or dark: native elements beside a list of operations.

export const referenceStyle = `
:root {
  color-scheme: light dark;
  font: 16px/1.5 system-ui, sans-serif;
  --line: color-mix(in srgb, currentColor 20%, transparent);
  background: Canvas;
  overflow-wrap: anywhere;
}
body { margin: 0; display: grid; grid-template-columns: 17rem minmax(0, 1fr); }
nav {
  position: sticky;
  top: 0;
  height: 100vh;
  overflow: auto;
  box-sizing: border-box;
  padding: 1rem;
  border-right: 1px solid var(--line);
  font-size: .875rem;
}
nav h2 { margin: 1rem 0 .25rem; font-size: .875rem; text-transform: capitalize; }
nav ul { margin: 0; padding: 0; list-style: none; }
nav a { display: block; padding: .125rem 0; }
main { padding: 1rem 2rem 4rem; max-width: 60rem; }
main > h2 { text-transform: capitalize; border-top: 1px solid var(--line); padding-top: 2rem; }
article { margin: 2rem 0; scroll-margin-top: 1rem; }
table { width: 100%; border-collapse: collapse; }
th, td {
  padding: .25rem .75rem .25rem 0;
  border-bottom: 1px solid var(--line);
  text-align: left;
  vertical-align: top;
}
th { width: 14rem; font-weight: normal; }
code, pre { font: .875em/1.5 ui-monospace, monospace; }
pre { padding: .75rem; overflow: auto; border: 1px solid var(--line); border-radius: .25rem; }
@media (max-width: 50rem) { body { display: block; } nav { position: static; height: auto; border: 0; } }
`;
