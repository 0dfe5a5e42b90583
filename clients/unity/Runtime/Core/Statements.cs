using System;
using System.Collections.Generic;

namespace GamesLrs
{
    /// <summary>Makes whole statements of what a game says.</summary>
    static class Statements
    {
        public static Dictionary<string, object> Say(Launch launch, string verb, Activity activity, Result result)
        {
            var thing = new Dictionary<string, object> { { "id", IriOf(launch, activity) } };
            var definition = activity == null ? null : activity.Definition();
            if (definition != null && definition.Count > 0) thing["definition"] = definition;
            var statement = new Dictionary<string, object>
            {
                { "verb", new Dictionary<string, object>
                    {
                        { "id", Verbs.Iris[verb] },
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

        /// <summary>With id, timestamp, actor and registration where they are missing.</summary>
        public static Dictionary<string, object> Complete(Launch launch, IDictionary<string, object> given)
        {
            var statement = new Dictionary<string, object> { { "id", Guid.NewGuid().ToString() } };
            if (launch.Actor != null) statement["actor"] = launch.Actor;
            foreach (var member in given) if (member.Value != null) statement[member.Key] = member.Value;
            if (!statement.ContainsKey("timestamp")) statement["timestamp"] = Json.Time(DateTime.UtcNow);
            if (launch.Registration == null) return statement;
            var context = new Dictionary<string, object> { { "registration", launch.Registration } };
            object own;
            if (statement.TryGetValue("context", out own) && own is IDictionary<string, object>)
                foreach (var member in (IDictionary<string, object>)own) context[member.Key] = member.Value;
            statement["context"] = context;
            return statement;
        }
    }
}
