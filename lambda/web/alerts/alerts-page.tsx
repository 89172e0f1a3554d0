// The alerts page: mails that were sent, incidents, and the channels that receive alerts.
import type { ReactNode } from 'react';
import { alertsWords } from '#words/alerts.ts';
import { AlertChannels } from './alert-channels.tsx';
import { Incidents } from './incidents.tsx';
import { Inbox } from './inbox.tsx';

export function AlertsPage(): ReactNode {
  return (
    <div className="screen">
      <h1>{alertsWords.title}</h1>
      <Incidents />
      <AlertChannels />
      <Inbox />
    </div>
  );
}
