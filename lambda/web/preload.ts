// The first script of the page: it asks early for the files of the address. Sign-in pages do not wait for the shell.

/** The files of each sign-in page by its path, and those of the `shell`. The bundler puts them in. */
declare const FILES: Readonly<Record<string, readonly string[]>>;

function preload(files: readonly string[]): void {
  for (const href of files)
    document.head.append(Object.assign(document.createElement('link'), { rel: 'modulepreload', href }));
}

const [shell, signIn] = [FILES['shell']!, FILES[location.pathname]];
preload(signIn ?? shell);
// Most users sign in, and need the shell next.
if (signIn) addEventListener('load', () => preload(shell));
