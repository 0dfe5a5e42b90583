/** What players do: verbs of ADL and of the serious-games profile (https://github.com/e-ucm/xapi-seriousgames). */
export declare const verbs: {
    readonly initialized: "http://adlnet.gov/expapi/verbs/initialized";
    readonly progressed: "http://adlnet.gov/expapi/verbs/progressed";
    readonly completed: "http://adlnet.gov/expapi/verbs/completed";
    readonly passed: "http://adlnet.gov/expapi/verbs/passed";
    readonly failed: "http://adlnet.gov/expapi/verbs/failed";
    readonly scored: "http://adlnet.gov/expapi/verbs/scored";
    readonly terminated: "http://adlnet.gov/expapi/verbs/terminated";
    readonly answered: "http://adlnet.gov/expapi/verbs/answered";
    readonly interacted: "http://adlnet.gov/expapi/verbs/interacted";
    readonly accessed: "https://w3id.org/xapi/seriousgames/verbs/accessed";
    readonly skipped: 'http://id.tincanapi.com/verb/skipped';
    readonly selected: 'https://w3id.org/xapi/adb/verbs/selected';
    readonly unlocked: "https://w3id.org/xapi/seriousgames/verbs/unlocked";
    readonly used: "https://w3id.org/xapi/seriousgames/verbs/used";
    readonly pressed: "https://w3id.org/xapi/seriousgames/verbs/pressed";
    readonly released: "https://w3id.org/xapi/seriousgames/verbs/released";
};
export type Verb = keyof typeof verbs;
/** From 0 to 1, in the extensions of a result. */
export declare const progressExtension = "https://w3id.org/xapi/seriousgames/extensions/progress";
/** `level`, `quest`, `item` and so on are types of the profile; an IRI stays. */
export declare const typeOf: (type: string) => string;
/** An IRI stays; a name stands below the game's own IRI. */
export declare const idBelow: (game: string, id: string) => string;
