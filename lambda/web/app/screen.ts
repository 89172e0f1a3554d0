// The properties that the shell passes to a screen.

export interface ScreenProps {
  /** The id in the path; empty if the screen shows a collection. */
  readonly id: string;
}
