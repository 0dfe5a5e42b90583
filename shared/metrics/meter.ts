/** One line of a family as it is scraped. */
export interface Sample {
  readonly labels: Readonly<Record<string, string | number>>
  readonly value: number
  /** Where it differs from the family's: `…_bucket`, `…_sum`, `…_count`. */
  readonly metricName?: string
}

/** A metric with all its series, read when it is scraped. */
export interface Family {
  readonly name: string
  readonly help: string
  readonly type: 'counter' | 'gauge' | 'histogram'
  samples(): Sample[] | Promise<Sample[]>
}

/** Series of one family; what would be more is counted under labels that all say `other`. */
const mostSeries = 400

/** Seconds: from what is in memory to what takes too long. */
export const latencies: readonly number[] = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10]

/** The series of a family by the values of its labels. */
function seriesOf<Series>(names: readonly string[], create: () => Series) {
  const all = new Map<string, { values: readonly string[]; series: Series }>()
  const others = names.map(() => 'other')

  function at(values: readonly string[]): Series {
    const key = values.join('\0')
    const known = all.get(key)
    if (known) return known.series
    if (all.size >= mostSeries && values !== others) return at(others)
    const series = create()
    all.set(key, { values, series })
    return series
  }

  return {
    at,
    list: () =>
      [...all.values()].map(({ values, series }) => ({
        labels: Object.fromEntries(names.map((name, n) => [name, values[n]!])),
        series,
      })),
  }
}

/** Counts by labels: plain numbers until somebody asks. Label values are words of ours, never ids or texts from outside. */
export function counter(name: string, help: string, ...labels: string[]) {
  const all = seriesOf(labels, () => ({ value: 0 }))
  if (labels.length === 0) all.at([])
  const family: Family = {
    name,
    help,
    type: 'counter',
    samples: () => all.list().map(({ labels, series }) => ({ labels, value: series.value })),
  }
  return { ...family, add: (values: readonly string[] = [], by = 1): void => void (all.at(values).value += by) }
}

/** Sorts values into buckets, by labels. */
export function histogram(name: string, help: string, buckets: readonly number[], ...labels: string[]) {
  const all = seriesOf(labels, () => ({ counts: new Float64Array(buckets.length + 1), sum: 0 }))
  const family: Family = {
    name,
    help,
    type: 'histogram',
    samples: () =>
      all.list().flatMap(({ labels, series }) => {
        let count = 0
        const upTo = buckets.map((le, n) => ({
          metricName: `${name}_bucket`,
          labels: { ...labels, le },
          value: (count += series.counts[n]!),
        }))
        count += series.counts[buckets.length]!
        return [
          ...upTo,
          { metricName: `${name}_bucket`, labels: { ...labels, le: '+Inf' }, value: count },
          { metricName: `${name}_sum`, labels, value: series.sum },
          { metricName: `${name}_count`, labels, value: count },
        ]
      }),
  }
  return {
    ...family,
    observe(value: number, values: readonly string[] = []): void {
      const series = all.at(values)
      let bucket = 0
      while (bucket < buckets.length && value > buckets[bucket]!) bucket++
      series.counts[bucket]!++
      series.sum += value
    },
  }
}

/** What is as it is at the moment of the scrape: one number, or one for each value of a label. */
export function gauge(name: string, help: string, read: () => number | Promise<number>): Family
export function gauge(name: string, help: string, read: () => Record<string, number>, label: string): Family
export function gauge(
  name: string,
  help: string,
  read: () => number | Promise<number> | Record<string, number>,
  label = '',
): Family {
  return { name, help, type: 'gauge', samples: async () => samplesOf(await read(), label) }
}

/** A count that is kept elsewhere and only grows. */
export function countOf(name: string, help: string, read: () => number): Family {
  return { name, help, type: 'counter', samples: () => samplesOf(read(), '') }
}

function samplesOf(read: number | Record<string, number>, label: string): Sample[] {
  if (typeof read === 'number') return [{ labels: {}, value: read }]
  return Object.entries(read).map(([word, value]) => ({ labels: { [label]: word }, value }))
}
