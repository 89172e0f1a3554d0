// Turns the share links of file hosting services, which answer with a page for people, into links that answer with the file.

interface HostingService {
  readonly hosts: RegExp;
  /** Null when the link is not one to a shared file. A link that is direct already comes back as it was. */
  readonly direct: (url: URL) => URL | null;
}

const driveDownload = 'https://drive.usercontent.google.com/download';

const hostingServices: readonly HostingService[] = [
  // Google Drive: `confirm` answers beforehand the page that asks whether to download what is too large for the virus scan.
  {
    hosts: /^(?:drive|docs)\.google\.com$/,
    direct(url) {
      const fileID =
        /^\/file\/(?:u\/\d+\/)?d\/([\w-]+)/.exec(url.pathname)?.[1] ??
        (/^\/(?:open|uc)$/.test(url.pathname) ? url.searchParams.get('id') : null);
      if (!fileID) return null;
      const resourceKey = url.searchParams.get('resourcekey');
      const query = {
        id: fileID,
        export: 'download',
        confirm: 't',
        ...(resourceKey === null ? {} : { resourcekey: resourceKey }),
      };
      return new URL(`${driveDownload}?${new URLSearchParams(query)}`);
    },
  },
  // Dropbox: https://help.dropbox.com/share/force-download
  {
    hosts: /^(?:www\.)?dropbox\.com$/,
    direct: (url) => (/^\/(?:s|scl|sh)\//.test(url.pathname) ? withQuery(url, 'dl', '1') : null),
  },
  // OneDrive for persons, links of 2024 and later: /TYPE/c/OWNER/TOKEN.
  {
    hosts: /^1drv\.ms$/,
    direct(url) {
      const [, owner, token] = /^\/\w\/c\/([0-9a-f]+)\/([\w-]+)$/i.exec(url.pathname) ?? [];
      if (!owner || !token) return null;
      return new URL(
        `https://my.microsoftpersonalcontent.com/personal/${owner}/_layouts/15/download.aspx?${new URLSearchParams({ share: token })}`,
      );
    },
  },
  // OneDrive for persons, older links, and where the short ones of 1drv.ms lead to.
  {
    hosts: /^onedrive\.live\.com$/,
    direct(url) {
      const fileID = url.searchParams.get('resid') ?? url.searchParams.get('id');
      if (!fileID || !/^\/(?:|redir|embed|view\.aspx|download)$/.test(url.pathname)) return null;
      const authKey = url.searchParams.get('authkey');
      return new URL(
        `https://onedrive.live.com/download?${new URLSearchParams({ resid: fileID, ...(authKey === null ? {} : { authkey: authKey }) })}`,
      );
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

/** The link to the file itself; the same link where it is no share link of a service in the table. */
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
 * Where the button of Google Drive's page leads that says a file is too large to be scanned for viruses. Null for every other page.
 * @param pageURL where the page came from
 */
export function confirmationLink(page: string, pageURL: URL): URL | null {
  if (!googleHosts.test(pageURL.hostname)) return null;
  // By plain searches, not one expression: a hostile page must not make it take long.
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
