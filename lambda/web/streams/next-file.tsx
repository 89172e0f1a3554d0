// The form that lets a file of the library play next, in a list or a programme.
import { useState } from 'react';
import type { ReactNode } from 'react';
import { Form } from '../form.tsx';
import { UploadChoice } from './upload-choice.tsx';
import { words } from '#words';

/** @param play lets an upload play next; the choice is empty again after it */
export function NextFile({ play }: { readonly play: (uploadID: string) => Promise<void> }): ReactNode {
  const [uploadID, setUploadID] = useState<string | null>(null);
  const submit = async (): Promise<void> => {
    await play(uploadID!);
    setUploadID(null);
  };
  return (
    <Form action={words.onAir.next} onSubmit={submit} isDisabled={uploadID === null} className="in-row">
      <UploadChoice
        name="uploadID"
        label={words.onAir.file}
        none={words.onAir.noFile}
        query="probeState=completed"
        uploadID={uploadID}
        onChange={setUploadID}
      />
    </Form>
  );
}
