import type { Queue } from './queue.ts';
/** A request that the service refused for good. */
export declare class LrsError extends Error {
    name: string;
    /** As in HTTP. */
    readonly status: number;
    /** The statement that was refused, where it was one. */
    readonly statement?: unknown;
    constructor(status: number, message: string, statement?: unknown);
}
export interface SenderOptions {
    /** Sends one request, with endpoint and headers filled in. */
    readonly request: (method: string, path: string, init: RequestInit) => Promise<Response>;
    readonly queue: Queue;
    /** Asks for a new credential where the first came from; false: there is none. */
    readonly renew: () => Promise<boolean>;
    readonly onError: (error: LrsError) => void;
    /** Milliseconds that a statement waits for others; default 5,000. */
    readonly flushAfter: number;
    /** Statements that do not wait; default 20. */
    readonly flushAt: number;
}
/** Sends what waits, in order, until it is all there; what cannot be sent now is tried again later and later. */
export declare function sender({ request, queue, renew, onError, flushAfter, flushAt }: SenderOptions): {
    /** Resolves when what waits was sent, or when it was tried. */
    flush(): Promise<void>;
    add(id: string, json: string): Promise<void>;
    /** Drops what waits. */
    clear(): Promise<void>;
    /**
     * Of a page that goes away: what a browser still lets through, at once, so nothing is read before. It stays in the
     * queue until it is known to be there.
     */
    last(): void;
    close: () => void;
};
