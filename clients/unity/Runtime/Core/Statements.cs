using System;
using System.Collections.Generic;
using System.Globalization;
using System.Text.RegularExpressions;

namespace GamesLrs
{
    /// <summary>Makes whole statements of what a game says.</summary>
    static class Statements
    {
        /// <summary>The service refuses what is no language tag.</summary>
        static readonly Regex languageTag = new Regex(@"^[A-Za-z]{2,3}(-[A-Za-z]{4})?(-([A-Za-z]{2}|\d{3})\b)?");
        /// <summary>How this client names itself in statements.</summary>
        const string ClientName = "games-lrs.cs 0.3.0";
        /// <summary>Extensions of a context that clients add.</summary>
        const string Extensions = "urn:games-lrs:";

        public static Dictionary<string, object> Say(Launch launch, string verb, Activity activity, Result result)
        {
            string iri;
            if (!Verbs.Iris.TryGetValue(verb, out iri))
                throw new ArgumentException("verb \"" + verb + "\": write one of " + string.Join(", ", Verbs.Iris.Keys));
            var thing = new Dictionary<string, object> { { "id", activity == null ? null : activity.Id } };
            var definition = activity == null ? null : activity.Definition();
            if (definition != null && definition.Count > 0) thing["definition"] = definition;
            var statement = new Dictionary<string, object>
            {
                { "verb", new Dictionary<string, object>
                    {
                        { "id", iri },
                        { "display", new Dictionary<string, object> { { "en", verb } } },
                    } },
                { "object", thing },
            };
            var how = Result.Of(verb, result);
            if (how.Count > 0) statement["result"] = how;
            return statement;
        }

        public static string IriOf(Launch launch, Activity activity)
        {
            return (activity ?? new Activity()).IriIn(launch.ActivityId ?? "");
        }

        /// <summary>With id, timestamp, actor and registration where they are missing; ids and results are spelled out.</summary>
        /// <param name="clockOffset">seconds by which the clock of this machine is behind that of the service</param>
        public static Dictionary<string, object> Complete(
            Launch launch, IDictionary<string, object> given, ClientOptions options, long clockOffset)
        {
            var statement = new Dictionary<string, object> { { "id", Guid.NewGuid().ToString() } };
            if (launch.Actor != null) statement["actor"] = launch.Actor;
            foreach (var member in given) if (member.Value != null) statement[member.Key] = member.Value;
            if (!statement.ContainsKey("timestamp")) statement["timestamp"] = Json.Time(DateTime.UtcNow);
            var thing = Copy(statement, "object");
            object kind;
            var isActivity = !thing.TryGetValue("objectType", out kind) || "Activity".Equals(kind);
            if (isActivity && thing.ContainsKey("id")) thing["id"] = IriOf(launch, thing["id"] as string);
            if (thing.Count > 0) statement["object"] = thing;
            var result = Copy(statement, "result");
            if (result.Count > 0) statement["result"] = SpeltOut(result);
            statement["context"] = Context(launch, Copy(statement, "context"), options, isActivity, clockOffset);
            return statement;
        }

        /// <summary>Revision and platform are for activities only.</summary>
        static Dictionary<string, object> Context(
            Launch launch, Dictionary<string, object> given, ClientOptions options, bool ofActivity, long clockOffset)
        {
            var extensions = new Dictionary<string, object> { { Extensions + "client", ClientName } };
            if (options.Engine != null) extensions[Extensions + "engine"] = options.Engine;
            if (clockOffset != 0) extensions[Extensions + "clock-offset"] = clockOffset;
            foreach (var member in Copy(given, "extensions")) extensions[member.Key] = member.Value;
            var context = new Dictionary<string, object>();
            if (launch.Registration != null) context["registration"] = launch.Registration;
            if (ofActivity && !string.IsNullOrEmpty(options.Version)) context["revision"] = options.Version;
            if (ofActivity) context["platform"] = options.RunsOn;
            var language = languageTag.Match(CultureInfo.CurrentUICulture.Name).Value;
            context["language"] = language == "" ? "und" : language;
            foreach (var member in given) context[member.Key] = member.Value;
            context["extensions"] = extensions;
            return context;
        }

        /// <summary>A score that is a number is the scaled one; the progress is an extension.</summary>
        static Dictionary<string, object> SpeltOut(Dictionary<string, object> result)
        {
            object value;
            if (result.TryGetValue("score", out value) && value is IConvertible && !(value is string))
                result["score"] = new Dictionary<string, object> { { "scaled", value } };
            if (!result.TryGetValue("progress", out value)) return result;
            var extensions = Copy(result, "extensions");
            extensions[Result.ProgressExtension] = value;
            result["extensions"] = extensions;
            result.Remove("progress");
            return result;
        }

        /// <summary>Of the game's own dictionaries nothing is changed.</summary>
        static Dictionary<string, object> Copy(IDictionary<string, object> of, string name)
        {
            object value;
            var copy = new Dictionary<string, object>();
            if (of.TryGetValue(name, out value) && value is IDictionary<string, object>)
                foreach (var member in (IDictionary<string, object>)value) copy[member.Key] = member.Value;
            return copy;
        }
    }
}
