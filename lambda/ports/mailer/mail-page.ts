// A mail as HTML: tables and inline styles, which all mail clients know, and no file from elsewhere.
import type { IncidentPart, MessagePart } from '../../domain/notices/message.ts';
import { oneLine } from '../../domain/shared/one-line.ts';

/** A link of a mail. */
export interface MailLink {
  readonly label: string;
  readonly url: string;
}

export interface MailPage {
  readonly subject: string;
  /** Parts to show. A mail about one incident has its title as the heading, others their subject. */
  readonly parts: readonly MessagePart[];
  readonly button: MailLink;
  /** Whether the address of the button is shown too, to be opened in another browser. */
  readonly showsAddress: boolean;
  /** The text below the button. */
  readonly closing: string;
  /** The reason why the user has the mail, in the footer. */
  readonly reason: string;
  /** The page that ends or changes these mails, in the footer. */
  readonly settings: MailLink | null;
  readonly siteURL: string;
}

/** The colours by role, light and dark; the values are those of `lambda/web/style/tokens.css`. */
export const mailColours = {
  ground: ['#f6f7f8', '#0e1114'],
  surface: ['#ffffff', '#15191d'],
  line: ['#e2e5e9', '#262c33'],
  text: ['#14181c', '#e9ecef'],
  quiet: ['#58616b', '#9aa4af'],
  accent: ['#0c6c64', '#52c8b9'],
  'on-accent': ['#ffffff', '#04211d'],
  live: ['#0a6b38', '#6fdc9f'],
  'live-ground': ['#dff3e6', '#12301f'],
  grave: ['#b3261e', '#ff8f87'],
  'wrong-ground': ['#fce8e6', '#3a1714'],
} as const satisfies Readonly<Record<string, readonly [light: string, dark: string]>>;
type Role = keyof typeof mailColours;

const fonts = "Geist,system-ui,-apple-system,'Segoe UI',Roboto,Helvetica,Arial,sans-serif";
const body = '15px/24px';
const small = '13px/20px';

/** The document of a mail, which is light without its style sheet. Every text in it is escaped. */
export function mailPage(page: MailPage): string {
  const { subject, parts, siteURL } = page;
  const [first] = parts;
  const isIncident = parts.length === 1 && typeof first === 'object' && 'span' in first;
  const content = [
    ...(isIncident ? [] : [heading(subject)]),
    ...parts.map((part) => htmlOfPart(part, isIncident)),
    button(page.button, page.closing === ''),
    ...(page.closing === '' ? [] : [paragraph(page.closing, 'quiet', small)]),
    ...(page.showsAddress ? [address(page.button)] : []),
  ];
  return `<!doctype html>
<html lang="en" dir="ltr">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<meta name="color-scheme" content="light dark">
<meta name="supported-color-schemes" content="light dark">
<meta name="format-detection" content="telephone=no,date=no,address=no,email=no">
<title>${escaped(subject)}</title>
<style>${styleSheet}</style>
</head>
<body ${look('ground', 'margin:0;padding:0;-webkit-text-size-adjust:100%;word-break:break-word')}>
<div hidden style="display:none;max-height:0;overflow:hidden">${escaped(previewOf(parts))}${gap}</div>
${table(`background-color:${mailColours.ground[0]}`, '100%', 'ground')}
<tr><td class="edge" align="center" style="padding:40px 16px">
<!--[if mso]><table role="presentation" width="560" align="center"><tr><td><![endif]-->
${table('max-width:560px;text-align:left', '100%')}
<tr><td style="padding:0 4px 20px">${brand(siteURL)}</td></tr>
<tr><td ${look('surface', 'padding:32px;border-radius:12px', 'card')}>
${content.join('\n')}
</td></tr>
<tr><td style="padding:20px 4px 0">${footer(page)}</td></tr>
</table>
<!--[if mso]></td></tr></table><![endif]-->
</td></tr>
</table>
</body>
</html>
`;
}

/** Dark colours have to be stronger than the inline ones. Clients without style sheets show the mail in light. */
const styleSheet = [
  ':root{color-scheme:light dark}',
  '@media(max-width:480px){.edge{padding:20px 10px!important}.card{padding:24px 20px!important}}',
  `@media(prefers-color-scheme:dark){${Object.entries(mailColours)
    .map(([role, [, dark]]) => `.${role}{${propertyOf(role as Role)}:${dark}!important}`)
    .join('')}.card,.rule{border-color:${mailColours.line[1]}!important}}`,
].join('\n');

function propertyOf(role: Role): string {
  return /ground|surface|^accent$/.test(role) ? 'background-color' : 'color';
}

/** The attributes of an element with a colour: a class for the dark one, and the light one inline. */
function look(role: Role, style = '', also = ''): string {
  const border = role === 'surface' ? `;border:1px solid ${mailColours.line[0]}` : '';
  const colour = `${propertyOf(role)}:${mailColours[role][0]}${border}`;
  return `class="${also === '' ? role : `${role} ${also}`}" style="${style === '' ? colour : `${style};${colour}`}"`;
}

function heading(text: string): string {
  const style = `margin:0 0 16px;font:600 22px/28px ${fonts};letter-spacing:-0.02em`;
  return `<h1 ${look('text', style)}>${escaped(text)}</h1>`;
}

function paragraph(text: string, role: Role = 'text', font = body): string {
  return `<p ${look(role, `margin:0 0 16px;font:${font} ${fonts}`)}>${escaped(text)}</p>`;
}

function htmlOfPart(part: MessagePart, isHeading: boolean): string {
  if (typeof part === 'string') return paragraph(part);
  if ('span' in part) return incident(part, isHeading);
  const items = part.items.map((item) => `<li style="margin:0 0 6px">${escaped(item)}</li>`).join('');
  const list = `<ul ${look('text', `margin:0 0 16px;padding:0 0 0 20px;font:${body} ${fonts}`)}>${items}</ul>`;
  return part.lead === '' ? list : paragraph(part.lead) + list;
}

/** An incident on the ground of its state, and below it the effect and the remedy. */
function incident({ title, span, isOver, lines }: IncidentPart, isHeading: boolean): string {
  const [ground, colour] = isOver ? (['live-ground', 'live'] as const) : (['wrong-ground', 'grave'] as const);
  const tag = isHeading ? 'h1' : 'h2';
  const style = `margin:0 0 4px;font:600 ${isHeading ? '20px/26px' : '16px/22px'} ${fonts};letter-spacing:-0.01em`;
  const rows = lines.map((line) =>
    typeof line === 'string'
      ? paragraph(line)
      : `<p ${look('quiet', `margin:0 0 2px;font:${small} ${fonts}`)}>${escaped(line.label)}</p>` +
        `<p ${look('text', `margin:0 0 16px;font:600 ${body} ${fonts}`)}>${escaped(line.value)}</p>`,
  );
  return (
    `${table('margin:0 0 18px', '100%')}<tr><td ${look(ground, 'padding:14px 18px;border-radius:8px')}>` +
    `<${tag} ${look(colour, style)}>${escaped(title)}</${tag}>` +
    `<p ${look('text', `margin:0;font:${small} ${fonts}`)}>${escaped(span)}</p></td></tr></table>${rows.join('')}`
  );
}

function button({ label, url }: MailLink, isLast: boolean): string {
  const shape = 'display:inline-block;padding:11px 20px;border-radius:8px;text-decoration:none';
  return (
    `${table(`margin:8px 0 ${isLast ? 0 : 20}px`)}<tr>` +
    `<td ${look('accent', 'border-radius:8px;mso-padding-alt:11px 20px')}>` +
    `<a href="${escaped(url)}" ${look('on-accent', `${shape};font:600 ${body} ${fonts}`)}>` +
    `${escaped(label)}</a></td></tr></table>`
  );
}

function address({ url }: MailLink): string {
  const rule = `padding:14px 0 0;border-top:1px solid ${mailColours.line[0]}`;
  const link = `<a href="${escaped(url)}" ${look('quiet')}>${escaped(url)}</a>`;
  const style = `margin:0;${rule};font:${small} ${fonts};word-break:break-all`;
  return `<p ${look('quiet', style, 'rule')}>The same link as text: ${link}</p>`;
}

/** The sign of the platform, of characters: pictures are loaded from elsewhere, or blocked. */
function brand(siteURL: string): string {
  const sign = `width:28px;height:28px;border-radius:8px;text-align:center;font:700 17px/28px ${fonts}`;
  return (
    `${table()}<tr><td ${look('accent', sign)}><span ${look('on-accent')} aria-hidden="true">&#8635;</span></td>` +
    `<td style="padding:0 0 0 10px"><a href="${escaped(siteURL)}" ` +
    `${look('text', `font:600 ${body} ${fonts};text-decoration:none`)}>Loop streaming</a></td></tr></table>`
  );
}

/** The start of a table that only arranges. */
function table(style = '', width = 'auto', className = ''): string {
  return (
    `<table role="presentation" width="${width}" cellpadding="0" cellspacing="0" border="0" ` +
    `class="${className}" style="${style}">`
  );
}

function footer({ reason, settings, siteURL }: MailPage): string {
  const link = (to: MailLink) => `<a href="${escaped(to.url)}" ${look('quiet')}>${escaped(to.label)}</a>`;
  const site = link({ label: new URL(siteURL).host, url: siteURL });
  const settingsLink = settings === null ? '' : ` ${link(settings)}`;
  return (
    `<p ${look('quiet', `margin:0 0 4px;font:${small} ${fonts}`)}>${escaped(reason)}${settingsLink}</p>` +
    `<p ${look('quiet', `margin:0;font:${small} ${fonts}`)}>Loop streaming · ${site}</p>`
  );
}

/** The first words, which clients show beside the subject. */
function previewOf([first]: readonly MessagePart[]): string {
  if (first === undefined || typeof first === 'string') return first ?? '';
  if ('items' in first) return first.lead === '' ? first.items.join(', ') : first.lead;
  const [line = first.span] = first.lines;
  return typeof line === 'string' ? line : line.value;
}

/** Characters without ink, so that clients show nothing else beside the subject. */
const gap = '&#847;&nbsp;'.repeat(80);

const entities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

function escaped(text: string): string {
  return oneLine(text).replaceAll(/[&<>"']/g, (character) => entities[character]!);
}
