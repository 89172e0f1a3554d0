// The object of the connect command, which describes us to an RTMP server (Adobe RTMP 1.0, section 7.2.1.1).
import type { RtmpURL } from '../../domain/destinations/ways/rtmp.ts';
import type { VideoCodec } from '../../domain/shared/video-format.ts';
import type { Amf0Input } from './amf0.ts';
import { announcementOf } from './enhanced-codecs.ts';

/** Encoders call themselves this, and some RTMP servers take nothing else. */
const flashVersion = 'FMLE/3.0 (compatible; FMSc/1.0)';

/** Bits of audioCodecs and videoCodecs. */
const aacBit = 0x04_00;
const h264Bit = 0x00_80;

/** The bit of capsEx that promises to obey reconnect requests (Enhanced RTMP v2, Enhancing NetConnection connect). */
const reconnectBit = 0x01;

export function connectProperties({ app, tcUrl }: RtmpURL, videoCodec: VideoCodec): Amf0Input {
  return {
    app,
    type: 'nonprivate',
    flashVer: flashVersion,
    swfUrl: tcUrl,
    tcUrl,
    fpad: false,
    capabilities: 15,
    audioCodecs: aacBit,
    videoCodecs: h264Bit,
    videoFunction: 1,
    capsEx: reconnectBit,
    ...announcementOf(videoCodec),
  };
}
