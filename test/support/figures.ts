// Figures of a stream that has been live for an hour, without their sampling time.
export const figures = {
  secondsInHand: null,
  startedAt: '2026-01-01T00:00:00.000Z',
  uptimeSeconds: 3600,
  bitrateKbps: 6000,
  framesPerSecond: 30,
  framesSent: 108_000,
  bytesSent: 2_700_000_000,
  droppedFrames: 0,
  lateFrames: 0,
  reconnects: 0,
  loopCount: 12,
  currentItem: {
    playlistID: 'ply_0mb3kq5zj4h8s2n7t1w9x6c0p',
    itemID: 'itm_0mb3kq5zj4h8s2n7t1w9x6c0p',
    uploadID: 'upl_0mb3kq5zj4h8s2n7t1w9x6c0p',
    positionSeconds: 12.5,
  },
  aired: [],
};
