// What a look at a watched source changes: which files are new, are others now, were renamed, are gone or are back.
import { faultOfFolder } from '../shared/folder-path.ts';

/** A file that a source lists. */
export interface ListedFile {
  /** What it is known by in its source: its path below the source, or the guid of its episode. */
  readonly path: string;
  /** Where its bytes are, without anything secret. */
  readonly url: string;
  /** A name for people. */
  readonly name: string;
  /** The folders that it is in below the source, with / between them; empty where it is in none. */
  readonly below: string;
  /** Other bytes have another version. */
  readonly version: string;
  /** The same for the same bytes at another path; null where the source says nothing of the kind. */
  readonly fingerprint: string | null;
  /** Null where the source does not say it. */
  readonly sizeBytes: number | null;
  /** Whether somebody may still be writing it, so that it is left for the next look. */
  readonly isSettling: boolean;
}

/** A file that an earlier look has found. */
export interface KnownFile {
  readonly path: string;
  readonly version: string;
  readonly fingerprint: string | null;
  readonly isRemoved: boolean;
  /** Whether its import has failed, and it is time to begin it again. */
  readonly isRetried: boolean;
}

export interface ScanPlan {
  /** New ones, those whose bytes are others now, and those whose import failed: each becomes an upload. */
  readonly fetched: readonly ListedFile[];
  readonly renamed: readonly { readonly from: string; readonly to: ListedFile }[];
  /** Paths of files that are there again, as they were. */
  readonly returned: readonly string[];
  /** Paths of files that are there no more. */
  readonly removed: readonly string[];
  /** Paths of which nothing is remembered any more. */
  readonly forgotten: readonly string[];
}

/**
 * @param known each path once; of those that are removed the last ones first
 * @param listed each path once
 * @param isWhole whether these are all files of the source: else nothing is known of those that are missing
 */
export function planScan(known: readonly KnownFile[], listed: readonly ListedFile[], isWhole: boolean): ScanPlan {
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
    fetched: listed.filter((file) => {
      const before = knownOf.get(file.path);
      return !file.isSettling && !renamedFrom.has(file) && (before?.version !== file.version || before.isRetried);
    }),
    renamed,
    returned: listed
      .filter(({ path, version }) => knownOf.get(path)?.isRemoved && knownOf.get(path)?.version === version)
      .map(({ path }) => path),
    removed: gone.map(({ path }) => path).filter((path) => !moved.has(path)),
    forgotten: known
      .map(({ path }) => path)
      .filter((path) => !paths.has(path) && !moved.has(path))
      .slice(scanBounds.files),
  };
}

/** Only where one file is gone and one has come: of two that are alike nobody knows which became which. */
function matchByFingerprint(gone: readonly KnownFile[], come: readonly ListedFile[]): Map<ListedFile, KnownFile> {
  const goneOf = Map.groupBy(gone, ({ fingerprint }) => fingerprint);
  const matches = new Map<ListedFile, KnownFile>();
  for (const [fingerprint, files] of Map.groupBy(come, (file) => file.fingerprint)) {
    const before = goneOf.get(fingerprint) ?? [];
    if (fingerprint !== null && files.length === 1 && before.length === 1) matches.set(files[0]!, before[0]!);
  }
  return matches;
}

/** Where the upload of a file is: in the folders that it is in below the source, as far as such folders can be. */
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

/** Whether a file is media, by its type or its name. What a system hides, such as ._a.mp4, is none. */
export function isMediaFile(name: string, mimeType = ''): boolean {
  if (name.startsWith('.')) return false;
  const ending = /\.([^.]+)$/.exec(name)?.[1]?.toLowerCase() ?? '';
  return mediaEndings.has(ending) || /^(?:video|audio|image)\/(?!.*(?:mpegurl|scpls|svg))/.test(mimeType);
}

/** What looks at sources keep to. */
export const scanBounds = {
  /** Files of a source; and so many that it has no more are remembered. */
  files: 10_000,
  /** How deep its folders may be. */
  depth: 8,
  requests: 500,
  bytesOfAnswer: 8 * 1024 * 1024,
  bytesOfAnswers: 64 * 1024 * 1024,
  pathBytes: 1024,
  /** Of the link of a file, as of one that a user imports from. */
  urlCharacters: 8192,
  listingMs: 120_000,
  redirects: 5,
  answerMs: 30_000,
} as const;

/** When looks begin an import of a file again that has failed: each time the wait is twice as long. */
export const importRetries = { firstMinutes: 60, mostMinutes: 7 * 24 * 60 } as const;

/** In this time after its last change somebody may still be writing a file. */
export const settlingSeconds = 30;
/** A source in which something settles, or waits for other imports, is looked at again so soon. */
const againSoonMinutes = 2;
/** A source that cannot be looked at is tried again so soon, until its user was told. */
const againAfterFailureMinutes = 10;
/** A fault that may pass is told when it lasts so long. */
const toldAfterMinutes = 60;

/** When the next look is due, in minutes. */
export function nextScanMinutes(everyMinutes: number, isSoon: boolean): number {
  return isSoon ? Math.min(againSoonMinutes, everyMinutes) : everyMinutes;
}

/** What becomes of a source that could not be looked at. @param failingMinutes since the first such look */
export function afterFailedScan(
  everyMinutes: number,
  failingMinutes: number,
  mayPass: boolean,
): { readonly isFailing: boolean; readonly nextScanMinutes: number } {
  const isFailing = !mayPass || failingMinutes >= toldAfterMinutes;
  return { isFailing, nextScanMinutes: isFailing ? everyMinutes : Math.min(againAfterFailureMinutes, everyMinutes) };
}
