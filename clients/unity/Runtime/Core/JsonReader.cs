using System;
using System.Collections.Generic;
using System.Globalization;
using System.Text;

namespace GamesLrs
{
    /// <summary>Reads one JSON text.</summary>
    sealed class JsonReader
    {
        const int Deepest = 100;
        readonly string text;
        int at;

        public JsonReader(string text) { this.text = text ?? ""; }

        public object ReadAll()
        {
            var value = Value(0);
            Space();
            if (at < text.Length) throw Wrong();
            return value;
        }

        FormatException Wrong() { return new FormatException("not JSON, at character " + at); }

        void Space()
        {
            while (at < text.Length && (text[at] == ' ' || text[at] == '\n' || text[at] == '\r' || text[at] == '\t')) at++;
        }

        char Next()
        {
            Space();
            if (at >= text.Length) throw Wrong();
            return text[at];
        }

        void Expect(char mark)
        {
            if (Next() != mark) throw Wrong();
            at++;
        }

        object Value(int depth)
        {
            if (depth > Deepest) throw Wrong();
            switch (Next())
            {
                case '{': return Object(depth);
                case '[': return List(depth);
                case '"': return String();
                case 't': return Word("true", true);
                case 'f': return Word("false", false);
                case 'n': return Word("null", null);
                default: return Number();
            }
        }

        object Word(string word, object value)
        {
            if (string.CompareOrdinal(text, at, word, 0, word.Length) != 0) throw Wrong();
            at += word.Length;
            return value;
        }

        Dictionary<string, object> Object(int depth)
        {
            var members = new Dictionary<string, object>();
            at++;
            if (Next() == '}') { at++; return members; }
            while (true)
            {
                if (Next() != '"') throw Wrong();
                var name = String();
                Expect(':');
                members[name] = Value(depth + 1);
                if (Next() == '}') { at++; return members; }
                Expect(',');
            }
        }

        List<object> List(int depth)
        {
            var items = new List<object>();
            at++;
            if (Next() == ']') { at++; return items; }
            while (true)
            {
                items.Add(Value(depth + 1));
                if (Next() == ']') { at++; return items; }
                Expect(',');
            }
        }

        string String()
        {
            var value = new StringBuilder();
            for (at++; at < text.Length; at++)
            {
                var letter = text[at];
                if (letter == '"') { at++; return value.ToString(); }
                if (letter < ' ') throw Wrong();
                value.Append(letter == '\\' ? Escaped() : letter);
            }
            throw Wrong();
        }

        char Escaped()
        {
            if (++at >= text.Length) throw Wrong();
            var place = "\"\\/bfnrt".IndexOf(text[at]);
            if (place >= 0) return "\"\\/\b\f\n\r\t"[place];
            int code;
            if (text[at] != 'u' || at + 4 >= text.Length
                || !int.TryParse(text.Substring(at + 1, 4), NumberStyles.AllowHexSpecifier, CultureInfo.InvariantCulture, out code))
                throw Wrong();
            at += 4;
            return (char)code;
        }

        object Number()
        {
            var start = at;
            while (at < text.Length && "+-.0123456789eE".IndexOf(text[at]) >= 0) at++;
            var digits = text.Substring(start, at - start);
            long whole;
            double number;
            if (long.TryParse(digits, NumberStyles.AllowLeadingSign, CultureInfo.InvariantCulture, out whole)) return whole;
            if (digits.Length > 0 && double.TryParse(digits, NumberStyles.Float, CultureInfo.InvariantCulture, out number))
                return number;
            at = start;
            throw Wrong();
        }
    }
}
