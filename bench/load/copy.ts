import type { Client, Connection } from 'pg'

interface CopyConnection extends Connection {
  query(text: string): void
  sendCopyFromChunk(bytes: Buffer): void
  endCopyFrom(): void
}

/** Runs a text of COPY … FROM STDIN commands, one piece of data for each, in one round trip and one transaction. */
export function copyInto(client: Client, text: string, data: readonly Buffer[]): Promise<void> {
  return new Promise((resolve, reject) => {
    let next = 0
    let failure: Error | undefined
    const ignore = (): void => {}
    client.query({
      submit: (connection: Connection) => (connection as CopyConnection).query(text),
      handleCopyInResponse(connection: CopyConnection) {
        connection.sendCopyFromChunk(data[next++]!)
        connection.endCopyFrom()
      },
      handleError: (error: Error) => void (failure = error),
      handleReadyForQuery: () => (failure ? reject(failure) : resolve()),
      handleCommandComplete: ignore,
      handleRowDescription: ignore,
      handleDataRow: ignore,
      handleEmptyQuery: ignore,
      handlePortalSuspended: ignore,
      handleCopyData: ignore,
    })
  })
}
