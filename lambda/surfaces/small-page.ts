// The dress of pages for a single task outside the web page, such as a platform's consent, with its colours and sizes.
// Their names of fonts are those of the system: they load no file, so their policy allows none.

/** The logo and the name of the platform, as HTML. */
export const smallPageBrand = `<p class="brand">
<svg viewBox="0 0 32 32" width="28" height="28" aria-hidden="true">
<rect width="32" height="32" rx="8"/><path d="M22 11.5a8 8 0 1 0 2 5.5"/><path d="M13.5 12.5v7l6-3.5z"/>
</svg> Loop streaming</p>`;

/** The style sheet, light or dark as the system is. The values are those of `lambda/web/style/tokens.css`. */
export const smallPageStyle = `
:root {
  color-scheme: light dark;
  --ground: light-dark(#f6f7f8, #0e1114);
  --surface: light-dark(#ffffff, #15191d);
  --line: light-dark(#e2e5e9, #262c33);
  --field: light-dark(#848c96, #6a7480);
  --text: light-dark(#14181c, #e9ecef);
  --quiet: light-dark(#58616b, #9aa4af);
  --accent: light-dark(#0c6c64, #52c8b9);
  --on-accent: light-dark(#ffffff, #04211d);
  font: 15px/1.5 Geist, system-ui, -apple-system, 'Segoe UI', Roboto, sans-serif;
}
* { box-sizing: border-box; margin: 0; }
body { min-height: 100vh; background: var(--ground); color: var(--text); }
main {
  display: grid;
  gap: 20px;
  max-width: 440px;
  margin: clamp(16px, 10vh, 96px) auto 48px;
  padding: 32px;
  border: 1px solid var(--line);
  border-radius: 16px;
  background: var(--surface);
  overflow-wrap: anywhere;
}
.brand { display: flex; align-items: center; gap: 10px; font-weight: 600; }
.brand rect { fill: #0f766d; }
.brand path { fill: none; stroke: #fff; stroke-width: 2.6; stroke-linecap: round; }
.brand path:last-of-type { fill: #fff; stroke: none; }
h1 { font-size: 1.375rem; font-weight: 600; letter-spacing: -0.022em; line-height: 1.25; }
a { color: var(--accent); text-underline-offset: 3px; }
form { display: grid; gap: 14px; }
label { display: grid; gap: 6px; font-size: 0.8125rem; font-weight: 500; }
label:has([type='radio'], [type='checkbox']) { display: flex; align-items: center; gap: 10px; font-weight: 400; }
[type='radio'], [type='checkbox'] { flex: none; width: 18px; height: 18px; accent-color: var(--accent); }
:is(input:not([type='radio'], [type='checkbox']), select) {
  width: 100%;
  min-height: 44px;
  padding: 0 11px;
  border: 1px solid var(--field);
  border-radius: 8px;
  background: var(--surface);
  color: inherit;
  font: inherit;
}
button {
  width: 100%;
  min-height: 44px;
  border: 1px solid transparent;
  border-radius: 8px;
  background: var(--accent);
  color: var(--on-accent);
  font: inherit;
  font-weight: 550;
  cursor: pointer;
}
button + button { border-color: var(--field); background: none; color: inherit; }
:focus-visible { outline: 2px solid var(--accent); outline-offset: 2px; }
@media (max-width: 500px) {
  main { margin-top: 0; padding: 24px 20px 48px; border: 0; border-radius: 0; background: none; }
}
`;
