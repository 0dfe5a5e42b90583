/** A document and its ETag, for a change that must not overwrite another one. */
export interface Document<T = unknown> {
    readonly value: T;
    readonly etag: string;
}
export interface Documents {
    /** Undefined: there is none. JSON comes as a value, other types as a Blob. */
    get<T = unknown>(id: string): Promise<Document<T> | undefined>;
    /** Replaces; with an ETag only the document that was read, with `null` only when there is none yet (else LrsError 412). */
    put(id: string, value: unknown, etag?: string | null): Promise<void>;
    /** Changes the top-level properties of a JSON document and keeps the others; makes it when there is none. */
    merge(id: string, properties: object): Promise<void>;
    remove(id: string): Promise<void>;
    /** Ids of all documents, or of those that changed since. */
    list(since?: Date): Promise<string[]>;
}
type Request = (method: string, path: string, init?: RequestInit) => Promise<Response>;
/** The documents of one resource; `parameters` say whose and of what. */
export declare function documents(request: Request, resource: string, idName: string, parameters: Record<string, string>): Documents;
export {};
