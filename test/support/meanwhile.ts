/** Asks again and again while the work goes on. A question that fails ends with the work, and tells it then. */
export async function meanwhile<T>(ask: () => Promise<unknown>, work: () => Promise<T>): Promise<T> {
  let going = true
  const asking = (async () => {
    while (going) await ask()
  })()
  // it may fail before anybody waits for it
  asking.catch(() => {})
  try {
    return await work()
  } finally {
    going = false
    await asking
  }
}
