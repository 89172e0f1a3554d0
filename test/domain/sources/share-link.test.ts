// Share links become links to the file; every other link stays as it is.
import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { confirmationLink, directLink } from '../../../lambda/domain/sources/share-link.ts';

const direct = (link: string) => directLink(new URL(link)).href;
const drive = (fileID: string, more = '') =>
  `https://drive.usercontent.google.com/download?id=${fileID}&export=download&confirm=t${more}`;

const shareLinks: [string, string, string][] = [
  ['Google Drive', 'https://drive.google.com/file/d/1a-B_c/view?usp=sharing', drive('1a-B_c')],
  [
    'Google Drive, with a key',
    'https://drive.google.com/file/d/1a-B_c/view?usp=drive_link&resourcekey=0-x',
    drive('1a-B_c', '&resourcekey=0-x'),
  ],
  ['Google Drive, of the second account', 'https://drive.google.com/file/u/1/d/1a-B_c/edit', drive('1a-B_c')],
  ['Google Drive, old', 'https://drive.google.com/open?id=1a-B_c', drive('1a-B_c')],
  ['Google Drive, old download', 'https://docs.google.com/uc?export=download&id=1a-B_c', drive('1a-B_c')],
  [
    'Dropbox',
    'https://www.dropbox.com/scl/fi/abc/clip.mp4?rlkey=k&st=s&dl=0',
    'https://www.dropbox.com/scl/fi/abc/clip.mp4?rlkey=k&st=s&dl=1',
  ],
  ['Dropbox, old', 'https://dropbox.com/s/abc/clip.mp4', 'https://dropbox.com/s/abc/clip.mp4?dl=1'],
  [
    'OneDrive',
    'https://1drv.ms/v/c/4e84c61d0ba8445b/Eamv8uQZ_q-A?e=gkhvsl',
    'https://my.microsoftpersonalcontent.com/personal/4e84c61d0ba8445b/_layouts/15/download.aspx?share=Eamv8uQZ_q-A',
  ],
  [
    'OneDrive, old',
    'https://onedrive.live.com/redir?resid=604D%214140&authkey=%21ANU&ithint=video%2cmp4',
    'https://onedrive.live.com/download?resid=604D%214140&authkey=%21ANU',
  ],
  [
    'OneDrive, embedded',
    'https://onedrive.live.com/embed?cid=604D&resid=604D%214140&authkey=ANU',
    'https://onedrive.live.com/download?resid=604D%214140&authkey=ANU',
  ],
  [
    'SharePoint',
    'https://contoso.sharepoint.com/:v:/s/Films/Eabc?e=x',
    'https://contoso.sharepoint.com/:v:/s/Films/Eabc?e=x&download=1',
  ],
  [
    'OneDrive for companies',
    'https://contoso-my.sharepoint.com/:v:/g/personal/ada/Eabc',
    'https://contoso-my.sharepoint.com/:v:/g/personal/ada/Eabc?download=1',
  ],
  ['Box', 'https://app.box.com/s/kwio6b4ovt1264rn', 'https://app.box.com/shared/static/kwio6b4ovt1264rn'],
  [
    'Box, of a company',
    'https://contoso.app.box.com/s/kwio6b4ovt1264rn',
    'https://contoso.app.box.com/shared/static/kwio6b4ovt1264rn',
  ],
];

test.for(shareLinks)('a link of %s becomes direct: %s', ([, link, expected]) => {
  expect(direct(link)).toBe(expected);
  // The result may occur again as the target of a redirect: it stays unchanged.
  expect(direct(expected)).toBe(expected);
});

test.for([
  'https://example.com/file/d/1a/view',
  'https://evil-drive.google.com/file/d/1a/view',
  'https://drive.google.com.example.com/file/d/1a/view',
  'https://drive.google.com/drive/folders/1a',
  'https://notdropbox.com/s/a/b',
  'https://www.dropbox.com/home',
  'https://1drv.ms/v/s!AbC',
  'https://sharepoint.com/:v:/s/a',
  'https://contoso.sharepoint.com/sites/Films/a.mp4',
  'https://app.box.com/folder/1',
  'https://dl.dropboxusercontent.com/s/a/b.mp4',
])('%s stays as it is', (link) => {
  expect(direct(link)).toBe(new URL(link).href);
});

test('a link that was turned into a direct one is not turned again', () => {
  const hosts = [
    'drive.google.com',
    'www.dropbox.com',
    '1drv.ms',
    'onedrive.live.com',
    'contoso.sharepoint.com',
    'app.box.com',
    'example.com',
  ];
  const anyLink = fc.tuple(
    fc.constantFrom(...hosts),
    fc.stringMatching(/^(\/[\w:!.-]{0,8}){1,4}$/),
    fc.stringMatching(/^(id|resid|dl)=[\w!]{0,8}$/),
  );
  const known = fc.constantFrom(...shareLinks.map(([, link]) => link));
  fc.assert(
    fc.property(
      fc.oneof(
        known,
        anyLink.map(([host, path, query]) => `https://${host}${path}?${query}`),
      ),
      (link) => {
        expect(direct(direct(link))).toBe(direct(link));
      },
    ),
  );
});

describe('the page that asks whether to go on without a virus scan', () => {
  const page = (action: string) => `<!DOCTYPE html><html><body>
    <form id="download-form" action="${action}" method="get">
    <input type="submit" id="uc-download-link" value="Download anyway"/>
    <input type="hidden" name="id" value="F1"><input type="hidden" name="export" value="download">
    <input type="hidden" name="confirm" value="t"><input type="hidden" name="uuid" value="5f&amp;0e"></form>
    </body></html>`;
  const from = (url: string, action = 'https://drive.usercontent.google.com/download') =>
    confirmationLink(page(action), new URL(url))?.href ?? null;

  test('has the link to the file', () => {
    const expected = 'https://drive.usercontent.google.com/download?id=F1&export=download&confirm=t&uuid=5f%260e';
    expect(from('https://drive.usercontent.google.com/download?id=F1')).toBe(expected);
    expect(from('https://drive.google.com/uc?id=F1', '/download')).toBe(expected.replace('usercontent.', ''));
  });

  test('has no link when it is not from Google, or when its form leads elsewhere', () => {
    expect(from('https://example.com/')).toBeNull();
    expect(from('https://drive.google.com/', 'https://example.com/')).toBeNull();
    expect(from('https://drive.google.com/', 'http://drive.google.com/download')).toBeNull();
    expect(from('https://drive.google.com/', 'javascript:alert(1)')).toBeNull();
    expect(confirmationLink('<html><title>Sign in</title>', new URL('https://drive.google.com/'))).toBeNull();
  });

  test.for([
    ['forms that never end', '<form '.repeat(40_000)],
    ['forms before it', `${'<form '.repeat(40_000)}id="download-form"`],
    ['inputs that never end', `<form id="download-form" action="/download"${'<input '.repeat(40_000)}`],
    ['attributes that never end', `<form id="download-form"${' action="'.repeat(30_000)}`],
  ])('is searched quickly, even with %s', ([, hostile]) => {
    expect(() => confirmationLink(hostile!, new URL('https://drive.google.com/'))).not.toThrow();
  });
});
