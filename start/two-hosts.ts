import type { IncomingMessage } from 'node:http'

/** Node keeps the first Host and says nothing of others, which a proxy before us may have gone by (RFC 9112 3.2). */
export const hasTwoHosts = ({ headersDistinct }: IncomingMessage): boolean => (headersDistinct.host?.length ?? 0) > 1
