// The uploads in progress, on every screen, until the user clears the list.
import { X } from 'lucide-react';
import { useSyncExternalStore } from 'react';
import type { ReactNode } from 'react';
import { formatBytes, formatShare } from '../app/format.ts';
import { words } from '#words';
import { chosenFiles } from './dropped-files.ts';
import { uploadQueue } from './upload-queue.ts';
import type { UploadTask } from './upload-queue.ts';

const isOpen = ({ phase }: UploadTask) => phase !== 'done';
const mostShown = 50;

export function useUploadTasks(): readonly UploadTask[] {
  return useSyncExternalStore(uploadQueue.onChange, uploadQueue.tasks);
}

export function UploadTray(): ReactNode {
  const tasks = useUploadTasks();
  if (tasks.length === 0) return null;
  const open = tasks.filter(isOpen).length;
  if (open === 0) return <Done />;
  return (
    <aside className="tray" aria-label={words.tray.title}>
      <details open>
        <summary>{words.tray.summary(open)}</summary>
        <ul>
          {tasks
            .toSorted((one, other) => Number(isOpen(other)) - Number(isOpen(one)))
            .slice(0, mostShown)
            .map((task) => (
              <Task key={task.key} task={task} />
            ))}
        </ul>
        <button type="button" onClick={() => uploadQueue.clear()}>
          {words.tray.clear}
        </button>
      </details>
    </aside>
  );
}

/** One line, which closes: the library has the files. */
function Done(): ReactNode {
  return (
    <aside className="tray" data-done="true" aria-label={words.tray.title}>
      <span>{words.tray.summary(0)}</span>
      <button type="button" className="icon ghost" aria-label={words.tray.clear} onClick={() => uploadQueue.clear()}>
        <X aria-hidden />
      </button>
    </aside>
  );
}

function Task({ task }: { readonly task: UploadTask }): ReactNode {
  const { key, name, size, phase, sentBytes, error } = task;
  return (
    <li>
      <p className="name">{name}</p>
      {phase === 'interrupted' ? (
        <p className="hint">{words.tray.lost(name)}</p>
      ) : (
        <progress max={Math.max(1, size)} value={sentBytes} aria-label={name} />
      )}
      <p className="hint">
        {words.tray.states[phase]} · {formatBytes(size)}
        {phase === 'sending' && ` · ${formatShare(sentBytes / Math.max(1, size))}`}
      </p>
      {error !== null && <p className="error">{error}</p>}
      {phase === 'sending' && (
        <button type="button" onClick={() => uploadQueue.pause(key)}>
          {words.tray.pause}
        </button>
      )}
      {(phase === 'paused' || phase === 'failed') && (
        <button type="button" onClick={() => uploadQueue.resume(key)}>
          {words.tray.resume}
        </button>
      )}
      {phase === 'interrupted' && (
        <label className="button">
          {words.tray.again}
          <input type="file" className="hidden" onChange={(event) => uploadQueue.add(chosenFiles(event.target))} />
        </label>
      )}
    </li>
  );
}
