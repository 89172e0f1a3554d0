// Bounds that are the same for all users, beside the limits that grow with credits (limits.ts).

/** Numbers of rows, bytes, days and requests, each with its unit in its name or comment. */
export const bounds = {
  /** A larger answer is not kept for its Idempotency-Key: a repetition reads the resource again. */
  keptAnswerBytes: 32 * 1024,
  /** Bytes of all kept answers of a user, except small ones. */
  keptAnswerBytesPerUser: 32 * 1024 * 1024,
  /** Answers up to this size are always kept. */
  smallAnswerBytes: 2 * 1024,
  /** Deliveries that wait for a webhook. Above it the oldest fail, and the user is notified once a day. */
  pendingDeliveriesPerWebhook: 1000,
  /** Deliveries that wait for all webhooks of a user. */
  pendingDeliveriesPerUser: 5000,
  /** Deliveries of a webhook that users can request again, including the waiting ones. */
  keptDeliveriesPerWebhook: 5000,
  /** Kept moves of a stream. The API shows the last 20. */
  keptTransitionsPerStream: 50,
  /** Days that a move is kept at most. */
  keptTransitionDays: 90,
  /** Destinations that a stream is sent to at once. */
  outputsPerStream: 30,
  /** Items that wait to be played between items of a list on the air. */
  queuedItemsPerList: 10,
  /** Times at which a list on the air continues after a skip, in the future: each has a copy of the list. */
  listsAhead: 3,
  /** Live inputs of a stream. */
  liveInputsPerStream: 5,
  /** Live inputs of a user, which one answer lists. */
  liveInputsPerUser: 200,
  /** Networks that may send to a live input. */
  networksPerLiveInput: 20,
  /** Kept incidents of a user that have ended. */
  keptIncidentsPerUser: 1000,
  /** Days that an incident is kept after its end at most. */
  keptIncidentDays: 90,
  /** Mails of notifications to a user within a day. The others are on the page only. */
  notificationMailsPerDay: 25,
  /** Mails of alerts to a user within a day, tests counted. The others come once an hour. */
  alertMailsPerDay: 30,
  /** Tests of alert channels by mail of a user within an hour. */
  testMailsPerHour: 10,
  /** Mails of alerts, their tests and notifications to users who are not funded: to one, and to all together. */
  unfundedNoticeMails: { ofUserPerDay: 5, perHour: 25, perDay: 100 },
  /** Sessions of a user, those used last. A sign-in ends the others. */
  sessionsPerUser: 100,
  /** Mails of sign-in to an inbox. Beyond them, the user of a confirmed address gets one for a new password an hour. */
  signInMailsToInbox: { perHour: 3, perDay: 6 },
  /** Mails of sign-in that clients of a network may cause, before the factor of the stage. */
  signInMailsOfNetwork: { perHour: 20, perDay: 60 },
  /** Sign-ups by clients of a network, before the factor of the stage. Each makes an account that stays for a week. */
  signUpsOfNetwork: { perHour: 40, perDay: 120 },
  /** Consents of owners of channels that are completed in a day. Platforms count them in the quota that all share. */
  consentsPerDay: { ofUser: 20, ofUnfunded: 500 },
  /** Kept notifications of a user. */
  keptNotificationsPerUser: 1000,
  /** Days that a notification is kept at most. */
  keptNotificationDays: 365,
  /** Days that past runs, and acknowledged frames of any run, are kept at most. */
  keptAirDays: 400,
  /** Bytes kept of the content of a stream's past runs as stored, the latest first. */
  keptRunBytesPerStream: 64 * 1024 * 1024,
  /** Bytes kept of the content of all runs that are over, as stored, of a user who has paid and of one who has not. */
  keptRunBytesOfUser: { funded: 4 * 1024 ** 3, unfunded: 256 * 1024 * 1024 },
  /** Bytes kept of the content of a track of a current run as JSON, the latest first. */
  keptBytesPerTrack: 64 * 1024 * 1024,
  /** Bytes of JSON that a list on the air may be copied within a minute, when it is changed. */
  copiedListBytesPerMinute: 8 * 1024 * 1024,
  /** Checks of destinations that a user may request. */
  destinationChecksPerMinute: 20,
  /** Seconds between two retries of a stream that its user requests. */
  secondsBetweenRetries: 30,
  /** Requests of guests that the policy of a guide link may grant within an hour. */
  guestRequestsPerHour: 60,
  /** Minutes that such a policy may have a guest or an item wait. */
  guestWaitMinutes: 1440,
  /** Queued items of a programme up to which guests are granted another one: the owner has the rest of the queue. */
  guestQueuedItems: 50,
  /** Contributors of a stream who may send at once: each is encoded, and viewers see one of them. */
  liveSessionsPerStream: 2,
  /** Sessions of a live input that are kept and listed. */
  liveSessionsListed: 50,
  /** Kept takeovers of a stream, with those of its past runs. */
  takeoversPerStream: 1000,
  /** Archived destinations of a user that no stream names. */
  archivedDestinationsPerUser: 100,
} as const;
