using System;
using System.Collections.Generic;
using System.Text;

namespace GamesLrs
{
    /// <summary>A level, an item, a question: what a statement is about.</summary>
    public sealed class Activity
    {
        /// <summary>An IRI, or an id below the game's own, such as level/1. Null: the game itself.</summary>
        public string Id;
        /// <summary>For people.</summary>
        public string Name;
        /// <summary>An IRI, or a type of the serious-games profile, such as level.</summary>
        public string Type;

        public static implicit operator Activity(string id) { return new Activity { Id = id }; }

        /// <param name="game">IRI of the game</param>
        internal string IriIn(string game)
        {
            if (string.IsNullOrEmpty(Id)) return game;
            return IsIri(Id) ? Id : game + "/" + Encoded(Id);
        }

        internal Dictionary<string, object> Definition()
        {
            var definition = new Dictionary<string, object>();
            if (!string.IsNullOrEmpty(Name)) definition["name"] = new Dictionary<string, object> { { "und", Name } };
            if (!string.IsNullOrEmpty(Type))
                definition["type"] = IsIri(Type) ? Type : Verbs.Profile + "/activity-types/" + Encoded(Type);
            return definition;
        }

        /// <summary>It begins with a scheme.</summary>
        internal static bool IsIri(string text)
        {
            for (var i = 0; i < text.Length; i++)
            {
                var letter = char.ToLowerInvariant(text[i]);
                if (letter == ':') return i > 0;
                var fits = letter >= 'a' && letter <= 'z' || i > 0 && "0123456789+.-".IndexOf(letter) >= 0;
                if (!fits) return false;
            }
            return false;
        }

        /// <summary>As encodeURI of browsers: .NET, Mono and IL2CPP each have other ideas.</summary>
        static string Encoded(string text)
        {
            var encoded = new StringBuilder();
            foreach (var one in Encoding.UTF8.GetBytes(text))
            {
                var letter = (char)one;
                var stays = letter >= 'a' && letter <= 'z' || letter >= 'A' && letter <= 'Z' || letter >= '0' && letter <= '9'
                    || ";,/?:@&=+$-_.!~*'()#".IndexOf(letter) >= 0;
                if (stays) encoded.Append(letter);
                else encoded.Append('%').Append(one.ToString("X2"));
            }
            return encoded.ToString();
        }
    }
}
