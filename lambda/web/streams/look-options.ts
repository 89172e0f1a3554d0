// The options of the sound and look of streams and of items of playlists.
import { framingModes, pictureJoinKinds } from '../../domain/playout/look.ts';
import { joinKinds } from '../../domain/playout/sound.ts';
import { lookWords } from '#words/look.ts';

type Options = readonly (readonly [value: string, words: string])[];

/** Usual loudness of platforms, films and broadcasters, in LUFS. */
const usualTargets = [-14, -16, -23];

/** @param own a target in LUFS that is listed, too; absent: only the usual ones are */
export function loudnessOptions(own?: number): Options {
  const targets = new Set([...usualTargets, ...(own === undefined ? [] : [own])]);
  return [...targets].map((lufs) => [String(lufs), lookWords.loudnesses(lufs)]);
}

export const framingOptions: Options = framingModes.map((mode) => [mode, lookWords.framings[mode]]);
export const pictureJoinOptions: Options = pictureJoinKinds.map((kind) => [kind, lookWords.pictureJoins[kind]]);
export const soundJoinOptions: Options = joinKinds.map((kind) => [kind, lookWords.soundJoins[kind]]);
