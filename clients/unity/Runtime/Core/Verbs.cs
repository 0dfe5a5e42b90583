using System.Collections.Generic;

namespace GamesLrs
{
    /// <summary>The verbs of ADL, and those of the serious-games profile, by their names.</summary>
    public static class Verbs
    {
        const string Adl = "http://adlnet.gov/expapi/verbs/";
        public const string Profile = "https://w3id.org/xapi/seriousgames";

        public static readonly IReadOnlyDictionary<string, string> Iris = new Dictionary<string, string>
        {
            { "initialized", Adl + "initialized" },
            { "progressed", Adl + "progressed" },
            { "completed", Adl + "completed" },
            { "passed", Adl + "passed" },
            { "failed", Adl + "failed" },
            { "scored", Adl + "scored" },
            { "terminated", Adl + "terminated" },
            { "answered", Adl + "answered" },
            { "accessed", Profile + "/verbs/accessed" },
            { "skipped", "http://id.tincanapi.com/verb/skipped" },
            { "selected", "https://w3id.org/xapi/adb/verbs/selected" },
            { "unlocked", Profile + "/verbs/unlocked" },
            { "interacted", Adl + "interacted" },
            { "used", Profile + "/verbs/used" },
            { "pressed", Profile + "/verbs/pressed" },
            { "released", Profile + "/verbs/released" },
        };
    }
}
