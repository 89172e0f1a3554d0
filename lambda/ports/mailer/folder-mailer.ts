// Writes each mail into a file, on a machine that sends no mails.
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { referenceHeader } from './mailer.ts';
import type { Mail, Mailer } from './mailer.ts';

export interface FolderMailerOptions {
  readonly folder: string;
  readonly clock: () => Date;
  /** Called with each mail, and with the path of its file. */
  readonly onMail: (mail: Mail, file: string) => void;
}

/**
 * The names of the files sort by time, such as `2026-01-31T12-00-00.000Z-1.txt`. Mails hold links that sign somebody
 * in, so only the owner of the files may read them.
 */
export function createFolderMailer({ folder, clock, onMail }: FolderMailerOptions): Mailer {
  let count = 0;
  return {
    async send(mail) {
      await mkdir(folder, { recursive: true, mode: 0o700 });
      const file = join(folder, `${clock().toISOString().replaceAll(':', '-')}-${++count}.txt`);
      const reference = mail.reference === undefined ? '' : `${referenceHeader}: ${mail.reference}\n`;
      await writeFile(file, `To: ${mail.to}\nSubject: ${mail.subject}\n${reference}\n${mail.text}\n`, { mode: 0o600 });
      onMail(mail, file);
    },
  };
}
