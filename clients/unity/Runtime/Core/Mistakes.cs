using System;
using System.Collections.Generic;
using System.Globalization;
using System.Text.RegularExpressions;

namespace GamesLrs
{
    /// <summary>
    /// For debug builds: what is wrong with a statement, with its field and what to write instead. The service would refuse it,
    /// or no chart would count it.
    /// </summary>
    sealed class Mistakes
    {
        const string Types = "serious-game level quest session stage combat story-node race completable dialog-node dialog-fragment"
            + " screen area zone cutscene reachable accessible menu dialog-tree question path arena alternative enemy item"
            + " non-player-character game-object mouse keyboard controller touchscreen button device";
        const string Fields = "score success completion progress duration response extensions";
        const string Share = "Write the share of the highest score, such as 0.8, or a score with raw, min and max.";
        const string TypeSpace = Verbs.Profile + "/activity-types/";
        static readonly Regex uuid = new Regex("^[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}$");
        static readonly Regex scheme = new Regex("^([a-zA-Z][a-zA-Z0-9+.-]*):(?!//)");
        static readonly Regex duration =
            new Regex(@"^P(?=.)(\d+W|(\d+Y)?(\d+M)?(\d+D)?(T(?=.)(\d+H)?(\d+M)?(\d+([.,]\d+)?S)?)?)$");

        readonly List<string> found = new List<string>();

        public static List<string> Of(IDictionary<string, object> statement)
        {
            var mistakes = new Mistakes();
            mistakes.Look(statement);
            return mistakes.found;
        }

        void Look(IDictionary<string, object> statement)
        {
            var id = Member(statement, "id");
            if (id != null) Want(uuid.IsMatch(Text(id)), "id", id, "is no UUID. Leave it out.");
            var verb = Member(statement, "verb");
            LookAtVerb(verb is string ? verb : Member(verb, "id"));
            var thing = Member(statement, "object");
            LookAtId(Text(Member(thing, "id")));
            var type = Text(Member(Member(thing, "definition"), "type"));
            if (type.StartsWith(TypeSpace, StringComparison.Ordinal)) type = type.Substring(TypeSpace.Length);
            else type = "";
            Want(type == "" || Has(Types, type), "object.definition.type", type,
                "is no type of the serious-games profile. Write an IRI, or one of " + Types.Replace(" ", ", ") + ".");
            var result = Member(statement, "result") as IDictionary<string, object>;
            if (result != null) LookAt(result);
        }

        void LookAtVerb(object verb)
        {
            string known;
            var name = Text(verb);
            if (!Verbs.Iris.TryGetValue(name == "" ? "completed" : name, out known)) known = "https://example.org/verbs/" + name;
            Want(Activity.IsIri(name), "verb.id", verb, "is no IRI. Write one, such as \"" + known + "\".");
        }

        void LookAtId(string id)
        {
            var begin = scheme.Match(id).Groups[1].Value;
            Want(begin == "" || Has("urn tag mailto", begin), "object.id", id, "is taken for a whole IRI with the scheme \""
                + begin + "\". Write \"" + (begin == "" ? "" : begin + "/" + id.Substring(begin.Length + 1)) + "\".");
        }

        void LookAt(IDictionary<string, object> result)
        {
            foreach (var member in result)
                Want(Has(Fields, member.Key), "result." + member.Key, member.Value,
                    "is in no field of a result. There are " + Fields.Replace(" ", ", ") + ".");
            foreach (var field in new[] { "success", "completion" })
                Want(Member(result, field) == null || Member(result, field) is bool, "result." + field, Member(result, field),
                    "is neither true nor false.");
            var score = Member(result, "score");
            var spelt = score as IDictionary<string, object>;
            if (spelt == null) Within(score, -1, 1, "result.score", "is not from -1 to 1. " + Share);
            Within(Member(spelt, "scaled"), -1, 1, "result.score.scaled", "is not from -1 to 1. " + Share);
            var min = Number(Member(spelt, "min")) ?? double.NegativeInfinity;
            var max = Number(Member(spelt, "max")) ?? double.PositiveInfinity;
            var bounds = string.Format(CultureInfo.InvariantCulture, "is not from {0} to {1}, its min and max.", min, max);
            Within(Member(spelt, "raw"), min, max, "result.score.raw", bounds);
            Within(Member(result, "progress") ?? Member(Member(result, "extensions"), Result.ProgressExtension), 0, 1,
                "result.progress", "is not from 0 to 1. Write the share that is done, such as 0.5.");
            var took = Member(result, "duration");
            if (took != null)
                Want(duration.IsMatch(Text(took)), "result.duration", took,
                    "is no duration of ISO 8601. Write seconds as \"PT90S\".");
        }

        void Within(object value, double least, double most, string field, string wrong)
        {
            var number = Number(value);
            if (value != null) Want(number >= least && number <= most, field, value, wrong);
        }

        void Want(bool holds, string field, object value, string wrong)
        {
            if (!holds) found.Add(field + ": " + Json.Write(value) + " " + wrong);
        }

        static bool Has(string words, string word) { return Array.IndexOf(words.Split(' '), word) >= 0; }

        static string Text(object value) { return value as string ?? ""; }

        /// <summary>Null: it is no number.</summary>
        static double? Number(object value)
        {
            if (value == null || value is string || value is bool || !(value is IConvertible)) return null;
            return Convert.ToDouble(value, CultureInfo.InvariantCulture);
        }

        static object Member(object of, string name)
        {
            var members = of as IDictionary<string, object>;
            object value;
            return members != null && members.TryGetValue(name, out value) ? value : null;
        }
    }
}
