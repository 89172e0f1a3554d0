// The choice of a logo: a picture of the library, or a file that is uploaded for it.
import { Upload as UploadIcon } from 'lucide-react';
import { useEffect, useState } from 'react';
import type { ReactNode } from 'react';
import { useLive } from '../app/live-data.ts';
import type { Upload } from '../app/types.ts';
import { Failure } from '../form.tsx';
import { sendFile } from '../library/send-file.ts';
import { useAttempt } from '../use-attempt.ts';
import { lookWords } from '#words/look.ts';
import { UploadChoice } from './upload-choice.tsx';

interface LogoChoiceProps {
  readonly uploadID: string | null;
  readonly onChange: (uploadID: string | null) => void;
}

export function LogoChoice({ uploadID, onChange }: LogoChoiceProps): ReactNode {
  /** The file that was sent, until it has been examined; null: none. */
  const [sentID, setSent] = useState<string | null>(null);
  const { data: sent } = useLive<Upload>(sentID === null ? null : `/uploads/${sentID}`);
  const isExamined = sent !== undefined && sent.id === sentID && sent.probeState !== 'pending';
  const isUsable = isExamined && sent.probeState === 'completed' && sent.type === 'image';
  useEffect(() => {
    if (!isExamined) return;
    setSent(null);
    if (isUsable) onChange(sent.id);
    // oxlint-disable-next-line react/exhaustive-deps -- once, when the examination of the file has ended
  }, [isExamined]);
  const { attempt, error, isPending } = useAttempt(async (file: File) => {
    const { signal } = new AbortController();
    setSent(await sendFile({ file, folder: '' }, null, { signal, onProgress() {} }));
  });
  return (
    <div className="logo">
      <UploadChoice
        name="logo"
        label={lookWords.logo}
        none={lookWords.noLogo}
        query="probeState=completed&type=image"
        uploadID={uploadID}
        onChange={onChange}
      />
      <label className="button" aria-busy={isPending || sentID !== null}>
        <UploadIcon aria-hidden />
        {isPending || sentID !== null ? lookWords.logoSending : lookWords.logoUpload}
        <input
          type="file"
          accept="image/*"
          className="hidden"
          onChange={({ target }) => {
            const [file] = target.files ?? [];
            if (file) void attempt(file);
            target.value = '';
          }}
        />
      </label>
      <Failure error={error} />
    </div>
  );
}
