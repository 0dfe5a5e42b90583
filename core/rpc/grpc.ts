import { fromBinary, toBinary, type DescMessage, type MessageShape } from '@bufbuild/protobuf'
import { logVerbosity, setLogVerbosity } from '@grpc/grpc-js'

// grpc-js prints headers from outside to the console if it rejects them, Authorization included
setLogVerbosity(logVerbosity.NONE)

/** Path of a method in grpc-js. */
export const pathOf = (service: string, method: string) => `/${service}/${method}`

/** How grpc-js reads and writes the messages of a method. */
export function codec<Request extends DescMessage, Response extends DescMessage>(request: Request, response: Response) {
  return {
    requestSerialize: (message: MessageShape<Request>) => bufferOf(toBinary(request, message)),
    requestDeserialize: (bytes: Buffer) => fromBinary(request, bytes),
    responseSerialize: (message: MessageShape<Response>) => bufferOf(toBinary(response, message)),
    responseDeserialize: (bytes: Buffer) => fromBinary(response, bytes),
  }
}

const bufferOf = (bytes: Uint8Array) => Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
