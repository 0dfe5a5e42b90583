import type { IncomingMessage } from 'node:http'

/** Node keeps the first Host and ignores the others, but a proxy in front may have used another one (RFC 9112 3.2). */
export const hasTwoHosts = ({ headersDistinct }: IncomingMessage): boolean => (headersDistinct.host?.length ?? 0) > 1
