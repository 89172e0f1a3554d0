// Changes that a scan of a watched source finds: new, changed, renamed, removed and returned files.
import { faultOfFolder } from '../shared/folder-path.ts';

/** A file in a source's listing. */
export interface ListedFile {
  /** Identity within the source: the path below the source, or the guid of the episode. */
  readonly path: string;
  /** Address of the bytes, without secrets. */
  readonly url: string;
  /** Display name. */
  readonly name: string;
  /** Folders below the source, separated by /; empty at its top. */
  readonly below: string;
  /** Changes whenever the bytes change. */
  readonly version: string;
  /** Equal for equal bytes at another path; null if the source offers no such value. */
  readonly fingerprint: string | null;
  /** Null if the source does not list sizes. */
  readonly sizeBytes: number | null;
  /** Whether the file may still be written, so that it waits for the next scan. */
  readonly isSettling: boolean;
}

/** A file that an earlier scan found. */
export interface KnownFile extends Pick<ListedFile, 'path' | 'version' | 'fingerprint'> {
  readonly isRemoved: boolean;
  /** Whether its import failed, and a retry is due. */
  readonly isRetried: boolean;
}

/**
 * @param known files of earlier scans, each path once; removed ones ordered by the latest removal first
 * @param listed files of this scan, each path once
 * @param isWhole whether the listing is complete; otherwise missing files are not judged
 */
export function planScan(known: readonly KnownFile[], listed: readonly ListedFile[], isWhole: boolean) {
  const knownOf = new Map(known.map((file) => [file.path, file]));
  const paths = new Set(listed.map(({ path }) => path));
  const gone = isWhole ? known.filter(({ path, isRemoved }) => !isRemoved && !paths.has(path)) : [];
  const renamedFrom = matchByFingerprint(
    gone,
    listed.filter(({ path }) => !knownOf.has(path)),
  );
  const renamed = [...renamedFrom].map(([to, { path: from }]) => ({ from, to }));
  const moved = new Set(renamed.map(({ from }) => from));
  return {
    /** New files, changed files, and retries of failed imports; each becomes an upload. */
    fetched: listed.filter((file) => {
      const before = knownOf.get(file.path);
      return !file.isSettling && !renamedFrom.has(file) && (before?.version !== file.version || before.isRetried);
    }),
    renamed,
    /** Paths of files that returned unchanged. */
    returned: listed
      .filter(({ path, version }) => knownOf.get(path)?.isRemoved && knownOf.get(path)?.version === version)
      .map(({ path }) => path),
    /** Paths of files that are missing now. */
    removed: gone.map(({ path }) => path).filter((path) => !moved.has(path)),
    /** Paths to forget. */
    forgotten: known
      .map(({ path }) => path)
      .filter((path) => !paths.has(path) && !moved.has(path))
      .slice(scanBounds.files),
  };
}

/** Pairs files only if one is gone and one has come: two with equal bytes are ambiguous. */
function matchByFingerprint(gone: readonly KnownFile[], come: readonly ListedFile[]): Map<ListedFile, KnownFile> {
  const goneOf = Map.groupBy(gone, ({ fingerprint }) => fingerprint);
  const matches = new Map<ListedFile, KnownFile>();
  for (const [fingerprint, files] of Map.groupBy(come, (file) => file.fingerprint)) {
    const before = goneOf.get(fingerprint) ?? [];
    if (fingerprint !== null && files.length === 1 && before.length === 1) matches.set(files[0]!, before[0]!);
  }
  return matches;
}

/** Folder of a file's upload: the file's folders below the source, as far as uploads can have such folders. */
export function folderOfFile(folder: string, { below }: Pick<ListedFile, 'below'>): string {
  const path = [folder, below].filter((part) => part !== '').join('/');
  return faultOfFolder(path) === null ? path : folder;
}

const mediaEndings = new Set(
  (
    'mp4 m4v mov mkv webm avi mpg mpeg ts m2ts mts flv wmv mxf 3gp ogv ' +
    'mp3 m4a aac flac wav ogg oga opus wma aif aiff jpg jpeg png gif webp bmp tif tiff'
  ).split(' '),
);

/** Whether a file is media, by type or name. Hidden system files such as ._a.mp4 are not. */
export function isMediaFile(name: string, mimeType = ''): boolean {
  if (name.startsWith('.')) return false;
  const ending = /\.([^.]+)$/.exec(name)?.[1]?.toLowerCase() ?? '';
  return mediaEndings.has(ending) || /^(?:video|audio|image)\/(?!.*(?:mpegurl|scpls|svg))/.test(mimeType);
}

/** Bounds of a scan. */
export const scanBounds = {
  /** Files of a source, and as many removed ones that are remembered. */
  files: 10_000,
  /** Depth of folders. */
  depth: 8,
  requests: 500,
  bytesOfAnswer: 8 * 1024 * 1024,
  bytesOfAnswers: 64 * 1024 * 1024,
  pathBytes: 1024,
  /** Length of a file's link, the limit of imports too. */
  urlCharacters: 8192,
  /** Tags and attributes of all answers of a scan: some servers send thirty for each file. */
  marks: 500_000,
  listingMs: 120_000,
  /** Time in which a scan computes, as to parse answers, and does not wait. */
  busyMs: 20_000,
  /** Memory for parsed answers. */
  memoryMiB: 256,
  redirects: 5,
  answerMs: 30_000,
} as const;

/** Waits before retries of a failed import; each is twice as long as the one before. */
export const importRetries = { firstMinutes: 60, mostMinutes: 7 * 24 * 60 } as const;

/** Seconds after its last change in which a file may still be written. */
export const settlingSeconds = 30;
/** Minutes until the next scan of a source with files that are still written, or that wait for other imports. */
const againSoonMinutes = 2;
/** Minutes until the retry of a failed scan, before its user is notified. */
const againAfterFailureMinutes = 10;
/** Minutes after which a fault that may pass is notified. */
const notifiedAfterMinutes = 60;

/** Minutes until the next scan. */
export function nextScanMinutes(everyMinutes: number, isSoon: boolean): number {
  return isSoon ? Math.min(againSoonMinutes, everyMinutes) : everyMinutes;
}

/** State of a source after a failed scan. @param failingMinutes minutes since the first failed scan in a row */
export function afterFailedScan(
  everyMinutes: number,
  failingMinutes: number,
  mayPass: boolean,
): { readonly isFailing: boolean; readonly nextScanMinutes: number } {
  const isFailing = !mayPass || failingMinutes >= notifiedAfterMinutes;
  return { isFailing, nextScanMinutes: isFailing ? everyMinutes : Math.min(againAfterFailureMinutes, everyMinutes) };
}
