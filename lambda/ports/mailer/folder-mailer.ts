// Mailer of a machine that sends no mails: writes each into a file, and its HTML into another beside it.
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { referenceHeader, subjectLine } from './mailer.ts';
import type { Mail, Mailer } from './mailer.ts';

export interface FolderMailerOptions {
  readonly folder: string;
  readonly clock: () => Date;
  /** Called with each mail and the paths of its files. */
  readonly onMail: (mail: Mail, textFile: string, htmlFile: string) => void;
}

/**
 * File names sort by time, such as `2026-01-31T12-00-00.000Z-1.txt` and `….html`. Mails hold sign-in links, so only the
 * files' owner may read them.
 */
export function createFolderMailer({ folder, clock, onMail }: FolderMailerOptions): Mailer {
  let count = 0;
  return {
    async send(mail) {
      await mkdir(folder, { recursive: true, mode: 0o700 });
      const file = join(folder, `${clock().toISOString().replaceAll(':', '-')}-${++count}`);
      const reference = mail.reference === undefined ? '' : `${referenceHeader}: ${mail.reference}\n`;
      const text = `To: ${mail.to}\nSubject: ${subjectLine(mail)}\n${reference}\n${mail.text}\n`;
      await writeFile(`${file}.txt`, text, { mode: 0o600 });
      await writeFile(`${file}.html`, mail.html, { mode: 0o600 });
      onMail(mail, `${file}.txt`, `${file}.html`);
    },
  };
}
