// One edit of a draft, as the API takes it.

export type Edit =
  | { readonly op: 'add'; readonly uploadID: string }
  | { readonly op: 'remove'; readonly itemID: string }
  | { readonly op: 'move'; readonly itemID: string; readonly index: number }
  | { readonly op: 'setMode'; readonly mode: string };
