/** One statement that waits to be sent. */
export interface Waiting {
    readonly key: number;
    readonly id: string;
    /** JSON, as it goes over the line: a retry is the identical batch. */
    readonly json: string;
}
/** Statements of one owner, in the order in which they came. */
export interface Queue {
    /** Returns its key. */
    add(id: string, json: string): Promise<number>;
    /** The first ones, in order. */
    first(count: number): Promise<Waiting[]>;
    remove(keys: readonly number[]): Promise<void>;
    clear(): Promise<void>;
    count(): Promise<number>;
    /** Runs `work` unless another tab runs it for the same owner; false then. */
    alone(work: () => Promise<void>): Promise<boolean>;
}
/**
 * A queue in IndexedDB, which outlives the page and is shared by its tabs; in memory where there is none (in Node, and
 * in a frame without an origin of its own). The owner keeps apart what other learners left on the same machine.
 */
export declare function openQueue(owner: string): Promise<Queue>;
