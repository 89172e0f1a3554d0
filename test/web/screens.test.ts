// The table of operations and screens: each operation has a screen whose folder calls it, or a reason for having none.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { operations } from '../../lambda/operations/index.ts';
import { toolName } from '../../lambda/operations/operation.ts';

const web = join(import.meta.dirname, '../../lambda/web');
const readme = readFileSync(join(web, 'README.md'), 'utf8');
const rows = [...readme.matchAll(/^\| (?<left>[^|]+) \| (?<right>[^|]+) \|$/gm)].map(({ groups }): Row => ({
  left: groups?.['left'] ?? '',
  right: groups?.['right'] ?? '',
}));

interface Row {
  readonly left: string;
  readonly right: string;
}

const names = (cell: string) => cell.split(', ').filter((name) => /^[a-z]+(?:_[a-z]+)+$/.test(name));
const screens = rows
  .filter(({ left, right }) => /^`[a-z]+`$/.test(left) && names(right).length > 0)
  .map(({ left, right }) => ({ folder: left.slice(1, -1), operations: names(right) }));
const without = rows.filter(({ left }) => names(left).length > 0).map(({ left }) => names(left));

/** The paths of requests in the files of a folder: `{}` stands for each value in them. */
function pathsIn(folder: string): readonly string[] {
  const files = readdirSync(join(web, folder), { recursive: true, encoding: 'utf8' }).filter((name) =>
    /\.tsx?$/.test(name),
  );
  return files.flatMap((file) => {
    const text = readFileSync(join(web, folder, file), 'utf8');
    const literals = [...text.matchAll(/'(?<plain>[^'\n]*)'|`(?<template>[^`]*)`/g)];
    return literals
      .map(({ groups = {} }) =>
        (groups['plain'] ?? groups['template'] ?? '').replaceAll(/\$\{(?:[^{}]|\{[^{}]*\})*\}/g, '{}'),
      )
      .map((literal) => literal.replace(/^\/v1/, '').split('?')[0]!)
      .filter((path) => /\/[a-z]/.test(path) && !/\s/.test(path));
  });
}

/** Whether a literal may be the path of an operation, such as `/streams/{}/{}` or `{}/publish`. */
function fits(literal: string, path: string): boolean {
  const pattern = literal.replaceAll(/[.*+?^$()|[\]\\]/g, String.raw`\$&`).replaceAll('{}', '[^?]*');
  return new RegExp(`^${pattern}$`).test(path);
}

describe('the table of operations and screens', () => {
  it('has each operation once', () => {
    const listed = [...screens.flatMap((screen) => screen.operations), ...without.flat()];
    expect(listed.toSorted()).toEqual(operations.map((operation) => toolName(operation)).toSorted());
  });

  it.each(screens)('has calls of its operations in $folder', ({ folder, operations: listed }) => {
    const literals = pathsIn(folder);
    const uncalled = operations
      .filter((operation) => listed.includes(toolName(operation)))
      .filter(({ path }) => !literals.some((literal) => fits(literal, path)))
      .map((operation) => toolName(operation));
    expect(uncalled).toEqual([]);
  });
});
