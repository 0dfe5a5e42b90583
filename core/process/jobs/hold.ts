/** Keeps a lease: shows again and again that this core still works on the row. */
export function hold<Row>(row: Row, renew: (row: Row, seconds: number) => Promise<boolean>, seconds: number) {
  const lost = new AbortController()
  const beat = setInterval(
    () =>
      void renew(row, seconds)
        .then((isMine) => isMine || lost.abort())
        .catch(() => {}),
    (seconds * 1000) / 4,
  )
  return {
    /** Aborts when the row is another core's, has ended, or was changed. */
    lost: lost.signal,
    end: (): void => clearInterval(beat),
  }
}
