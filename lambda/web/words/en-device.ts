// The words of the page that confirms the code of a device.

export const deviceWords = {
  title: 'Connect a device',
  ask: 'Enter the code that your terminal or device shows.',
  code: 'Code',
  codeHint: 'Eight letters, such as WDJB-MJHT',
  next: 'Continue',
  connect: (name: string) => `Connect ${name}?`,
  asks: 'asks to act for you. It has to show this code now:',
  warning:
    'Every application can choose its name. Agree only if you have just begun this yourself: if another person sent ' +
    'you the code, they would get into your account.',
  connected: 'Connected',
  connectedText: 'The device continues within some seconds. You can close this page.',
  account: 'Connected applications',
  refused: 'Refused',
  refusedText: 'The device gets nothing. You can close this page.',
};
