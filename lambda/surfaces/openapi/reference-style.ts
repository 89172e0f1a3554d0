// The style of the reference page, light or dark: native elements beside a list of operations.

export const referenceStyle = `
:root {
  color-scheme: light dark;
  font: 15px/1.5 Geist, system-ui, -apple-system, 'Segoe UI', Roboto, sans-serif;
  --sunken: light-dark(#eef0f2, #0a0c0f);
  --ground: light-dark(#f6f7f8, #0e1114);
  --line: light-dark(#e2e5e9, #262c33);
  --text: light-dark(#14181c, #e9ecef);
  --accent: light-dark(#0c6c64, #52c8b9);
  background: var(--ground);
  color: var(--text);
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
a { color: var(--accent); text-underline-offset: 3px; }
nav a { display: block; padding: .25rem 0; text-decoration: none; }
nav a:hover { text-decoration: underline; }
h1 { font-size: 1.375rem; letter-spacing: -.022em; }
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
pre { padding: .75rem; overflow: auto; border: 1px solid var(--line); border-radius: 8px; background: var(--sunken); }
@media (max-width: 50rem) { body { display: block; } nav { position: static; height: auto; border: 0; } }
`;
