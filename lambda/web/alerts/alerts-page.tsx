// The alerts page: mails that were sent, incidents, and the channels that receive alerts.
import type { ReactNode } from 'react';
import { words } from '../words/en.ts';
import { AlertChannels } from './alert-channels.tsx';
import { Incidents } from './incidents.tsx';
import { Inbox } from './inbox.tsx';

export function AlertsPage(): ReactNode {
  return (
    <div className="screen">
      <h1>{words.alerts.title}</h1>
      <Incidents />
      <AlertChannels />
      <Inbox />
    </div>
  );
}
