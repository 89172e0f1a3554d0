// What a screen is given by the shell.

export interface ScreenProps {
  /** The part of the path that names one of many; empty where it names none. */
  readonly id: string;
}
