// Direct links to files, derived from share links of file hosting services, which answer with a page for people.

interface HostingService {
  readonly hosts: RegExp;
  /** The direct link; null if the URL is not a link to a shared file. */
  readonly direct: (url: URL) => URL | null;
}

const driveDownload = 'https://drive.usercontent.google.com/download';
const oneDriveContent = 'https://my.microsoftpersonalcontent.com';

const hostingServices: readonly HostingService[] = [
  // Google Drive: `confirm` skips the question about files that are too large for its virus scan.
  {
    hosts: /^(?:drive|docs)\.google\.com$/,
    direct(url) {
      const fileID =
        /^\/file\/(?:u\/\d+\/)?d\/([\w-]+)/.exec(url.pathname)?.[1] ??
        (/^\/(?:open|uc)$/.test(url.pathname) ? url.searchParams.get('id') : null);
      if (!fileID) return null;
      const resourceKey = url.searchParams.get('resourcekey');
      const query = new URLSearchParams({ id: fileID, export: 'download', confirm: 't' });
      if (resourceKey !== null) query.set('resourcekey', resourceKey);
      return new URL(`${driveDownload}?${query}`);
    },
  },
  // Dropbox: https://help.dropbox.com/share/force-download
  {
    hosts: /^(?:www\.)?dropbox\.com$/,
    direct: (url) => (/^\/(?:s|scl|sh)\//.test(url.pathname) ? withQuery(url, 'dl', '1') : null),
  },
  // OneDrive for persons, links since 2024: /TYPE/c/OWNER/TOKEN.
  {
    hosts: /^1drv\.ms$/,
    direct(url) {
      const [, owner, token] = /^\/\w\/c\/([0-9a-f]+)\/([\w-]+)$/i.exec(url.pathname) ?? [];
      if (!owner || !token) return null;
      const query = new URLSearchParams({ share: token });
      return new URL(`${oneDriveContent}/personal/${owner}/_layouts/15/download.aspx?${query}`);
    },
  },
  // OneDrive for persons, older links, and the targets of 1drv.ms short links.
  {
    hosts: /^onedrive\.live\.com$/,
    direct(url) {
      const fileID = url.searchParams.get('resid') ?? url.searchParams.get('id');
      if (!fileID || !/^\/(?:|redir|embed|view\.aspx|download)$/.test(url.pathname)) return null;
      const authKey = url.searchParams.get('authkey');
      const query = new URLSearchParams({ resid: fileID, ...(authKey === null ? {} : { authkey: authKey }) });
      return new URL(`https://onedrive.live.com/download?${query}`);
    },
  },
  // SharePoint and OneDrive for companies: /:TYPE:/SCOPE/…
  {
    hosts: /^[\w-]+\.sharepoint\.com$/,
    direct: (url) => (/^\/:\w:\/\w\//.test(url.pathname) ? withQuery(url, 'download', '1') : null),
  },
  // Box: https://developer.box.com/reference/get-files-id--get-shared-link, `download_url`.
  {
    hosts: /^(?:[\w-]+\.)?(?:app\.)?box\.com$/,
    direct(url) {
      const name = /^\/s\/(\w+)$/.exec(url.pathname)?.[1];
      return name ? new URL(`/shared/static/${name}`, url) : null;
    },
  },
];

/** The direct link to a file; the same link if it belongs to no service in the table. */
export function directLink(link: URL): URL {
  const service = hostingServices.find(({ hosts }) => hosts.test(link.hostname));
  return service?.direct(link) ?? link;
}

function withQuery(url: URL, name: string, value: string): URL {
  const changed = new URL(url);
  changed.searchParams.set(name, value);
  return changed;
}

const googleHosts = /^(?:drive|docs|drive\.usercontent)\.google\.com$/;

/**
 * Address behind the button of the page that Google Drive answers with when a file is too large for its virus scan;
 * null for every other page.
 * @param page HTML text
 * @param pageURL address of the page
 */
export function confirmationLink(page: string, pageURL: URL): URL | null {
  if (!googleHosts.test(pageURL.hostname)) return null;
  // Plain searches instead of one regular expression, which a hostile page could make very slow.
  const [beginning = '', rest] = page.split('id="download-form"', 2);
  if (rest === undefined) return null;
  const form = beginning.slice(beginning.lastIndexOf('<form')) + rest.split('</form>', 1)[0]!;
  const [tag = '', ...inputs] = form.split('<input').map((text) => text.split('>', 1)[0]!);
  const action = URL.parse(unescaped(attribute(tag, 'action') ?? ''), pageURL.href);
  if (action?.protocol !== pageURL.protocol || !googleHosts.test(action.hostname)) return null;
  for (const input of inputs) {
    const [name, value] = [attribute(input, 'name'), attribute(input, 'value')];
    if (attribute(input, 'type') === 'hidden' && name && value !== null)
      action.searchParams.set(unescaped(name), unescaped(value));
  }
  return action;
}

function attribute(tag: string, name: string): string | null {
  return new RegExp(`\\s${name}="([^"]*)"`).exec(tag)?.[1] ?? null;
}

function unescaped(text: string): string {
  return text
    .replaceAll('&quot;', '"')
    .replaceAll('&#39;', "'")
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&amp;', '&');
}
