using System.Collections.Generic;

namespace GamesLrs
{
    /// <summary>What the player, the sandbox or the studio hands to a game: all that it needs to report.</summary>
    public sealed class Launch
    {
        /// <summary>Of xAPI, with or without a slash at its end.</summary>
        public string Endpoint;
        /// <summary>The complete value of the Authorization header.</summary>
        public string Auth;
        /// <summary>The learner, an Agent of xAPI: a dictionary, or Json.Raw of its text. The service puts in the token's.</summary>
        public object Actor;
        /// <summary>UUID of this session.</summary>
        public string Registration;
        /// <summary>IRI of the game.</summary>
        public string ActivityId;

        /// <summary>Null: there is no launch context in it.</summary>
        internal static Launch Of(string json)
        {
            var given = Json.ReadObject(json);
            var launch = given == null ? null : new Launch
            {
                Endpoint = Text(given, "endpoint"),
                Auth = Text(given, "auth"),
                Actor = ActorOf(Member(given, "actor")),
                Registration = Text(given, "registration"),
                ActivityId = Text(given, "activity_id") ?? Text(given, "activityId"),
            };
            return launch == null || !launch.IsWhole ? null : launch;
        }

        internal bool IsWhole { get { return !string.IsNullOrEmpty(Endpoint) && !string.IsNullOrEmpty(Auth); } }

        /// <summary>Whose statements wait in a queue: endpoint and actor.</summary>
        internal string Owner { get { return Root + " " + (Actor == null ? Auth : Sorted(Actor)); } }

        /// <summary>The endpoint, with a slash at its end.</summary>
        internal string Root { get { return Endpoint.TrimEnd('/') + "/"; } }

        static object Member(Dictionary<string, object> of, string name)
        {
            object value;
            return of.TryGetValue(name, out value) ? value : null;
        }

        static string Text(Dictionary<string, object> of, string name)
        {
            var text = Member(of, name) as string;
            return text == "" ? null : text;
        }

        /// <summary>In an address and in the environment the actor is JSON text; TinCan launches have lists in it.</summary>
        static object ActorOf(object given)
        {
            var actor = given as Dictionary<string, object> ?? Json.ReadObject(given as string ?? "");
            if (actor == null) return null;
            var agent = new Dictionary<string, object>();
            foreach (var member in actor) agent[member.Key] = One(member.Value);
            var account = Member(agent, "account") as Dictionary<string, object>;
            if (account != null && account.ContainsKey("accountServiceHomePage"))
                agent["account"] = new Dictionary<string, object>
                {
                    { "homePage", account["accountServiceHomePage"] },
                    { "name", Member(account, "accountName") },
                };
            return agent;
        }

        static object One(object value)
        {
            var list = value as List<object>;
            return list == null ? value : list.Count > 0 ? list[0] : null;
        }

        /// <summary>The same text whatever the order of the members is.</summary>
        static string Sorted(object value)
        {
            return Json.Write(Ordered(Json.Read(Json.Write(value))));
        }

        static object Ordered(object value)
        {
            var members = value as Dictionary<string, object>;
            if (members == null) return value;
            var ordered = new SortedDictionary<string, object>(System.StringComparer.Ordinal);
            foreach (var member in members) ordered[member.Key] = Ordered(member.Value);
            return ordered;
        }
    }
}
