// A chart of values over time, with axes, and with the value under the pointer in its caption. uPlot draws it.
// Decision D247.
import { useEffect, useRef, useState } from 'react';
import type { ReactNode } from 'react';
import UPlot from 'uplot';
import { locale } from '../app/locale.ts';

interface ChartProps {
  readonly name: string;
  /** The description of the whole for screen readers. */
  readonly label: string;
  /** Unix times in seconds, in order. */
  readonly times: readonly number[];
  /** The value at each time; null: a gap. */
  readonly values: readonly (number | null)[];
  readonly format: (value: number) => string;
  /** The value at the axis. @default format */
  readonly formatTick?: (value: number) => string;
  readonly formatTime: (seconds: number) => string;
  /** The caption while no pointer is over the chart. */
  readonly summary: string;
  /** `bars` for sums of spans, `line` for measurements. */
  readonly shape: 'line' | 'bars';
  /** Charts with the same group show the same time under the pointer. */
  readonly group?: string;
}

const heightPx = 150;
const axisWidthPx = 64;
/** The distances of ticks for sums, which would otherwise have the same label twice. */
const wholeSteps = Array.from({ length: 10 }, (_, power) => [1, 2, 5].map((step) => step * 10 ** power)).flat();

export function Chart(props: ChartProps): ReactNode {
  const { name, label, times, values, format, formatTime, summary } = props;
  const [pointed, setPointed] = useState<number | null>(null);
  const place = usePlot(props, setPointed);
  const value = pointed === null ? null : values[pointed];
  const caption =
    pointed === null || value === null || value === undefined
      ? summary
      : `${formatTime(times[pointed]!)} · ${format(value)}`;
  return (
    <figure className="chart">
      <figcaption>
        <strong>{name}</strong> <span className="hint">{caption}</span>
      </figcaption>
      <div className="plot" role="img" aria-label={label} ref={place} />
    </figure>
  );
}

/** Draws into the returned element, and again with its width, its data, and the colours of the theme. */
function usePlot(props: ChartProps, onPoint: (index: number | null) => void) {
  const place = useRef<HTMLDivElement>(null);
  const plot = useRef<UPlot | null>(null);
  const { times, values, format, formatTick = format, shape, group } = props;
  const data = useRef<UPlot.AlignedData>([[]]);
  data.current = [[...times], [...values]];
  useEffect(() => {
    const element = place.current!;
    const options = optionsOf({ element, formatTick, shape, group, onPoint });
    const drawn = new UPlot({ ...options, width: element.clientWidth, height: heightPx }, data.current, element);
    plot.current = drawn;
    const fit = new ResizeObserver(() => drawn.setSize({ width: element.clientWidth, height: heightPx }));
    fit.observe(element);
    const redraw = () => drawn.redraw();
    const themes = new MutationObserver(redraw);
    themes.observe(document.documentElement, { attributeFilter: ['data-theme'] });
    const system = matchMedia('(prefers-color-scheme: dark)');
    system.addEventListener('change', redraw);
    return () => {
      fit.disconnect();
      themes.disconnect();
      system.removeEventListener('change', redraw);
      drawn.destroy();
    };
  }, [formatTick, shape, group, onPoint]);
  useEffect(() => plot.current?.setData(data.current), [times, values]);
  return place;
}

const clock = new Intl.DateTimeFormat(locale, { timeStyle: 'short' });
const day = new Intl.DateTimeFormat(locale, { month: 'short', day: 'numeric' });
const month = new Intl.DateTimeFormat(locale, { month: 'short', year: 'numeric' });
const daySeconds = 86_400;

/** The labels of a time axis, in the time zone of the browser: as exact as the distance of its ticks. */
function timeTicks(ticks: readonly number[]): string[] {
  const step = (ticks[1] ?? 0) - (ticks[0] ?? 0);
  const format = step >= 28 * daySeconds ? month : step >= daySeconds ? day : clock;
  const labels = ticks.map((tick) => format.format(tick * 1000));
  return labels.map((label, index) => (label === labels[index - 1] ? '' : label));
}

interface Drawn {
  readonly element: HTMLElement;
  readonly formatTick: (value: number) => string;
  readonly shape: 'line' | 'bars';
  readonly group: string | undefined;
  readonly onPoint: (index: number | null) => void;
}

function optionsOf({ element, formatTick, shape, group, onPoint }: Drawn): Omit<UPlot.Options, 'width' | 'height'> {
  // The style sheet gives the element the colours of the theme, because a canvas knows no variables.
  const colours = getComputedStyle(element);
  const font = `12px ${colours.fontFamily}`;
  const axis = {
    font,
    stroke: () => colours.caretColor,
    grid: { stroke: () => colours.outlineColor, width: 1 },
    ticks: { show: false },
  };
  return {
    legend: { show: false },
    cursor: { y: false, drag: { setScale: false }, ...(group && { sync: { key: group } }) },
    scales: { y: { range: (_plot, _least, most) => [0, most > 0 ? most * 1.1 : 1] } },
    axes: [
      { ...axis, grid: { show: false }, size: 28, space: 80, values: (_plot, ticks) => timeTicks(ticks) },
      {
        ...axis,
        size: axisWidthPx,
        ...(shape === 'bars' && { incrs: wholeSteps }),
        values: (_plot, ticks) => ticks.map((tick) => formatTick(tick)),
      },
    ],
    series: [
      {},
      {
        stroke: () => colours.color,
        width: 1.5,
        points: { show: false },
        ...(shape === 'bars' && {
          width: 0,
          fill: () => colours.color,
          paths: UPlot.paths.bars!({ size: [0.7, 24], radius: 0.15 }),
        }),
      },
    ],
    hooks: { setCursor: [({ cursor }) => onPoint(cursor.idx ?? null)] },
  };
}
