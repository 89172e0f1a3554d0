// Stands in for the driver's reader of `~/.pgpass`, which runs only for connections without a password.
export const hasPasswordFile = false;
