using System;
using System.Collections;
using System.Collections.Generic;
using System.Globalization;
using System.Text;

namespace GamesLrs
{
    /// <summary>JSON text that is written as it is, for instance of JsonUtility.</summary>
    public sealed class RawJson
    {
        public readonly string Text;
        public RawJson(string text) { Text = text; }
    }

    /// <summary>Writes dictionaries, lists, strings, numbers and booleans as JSON, and reads JSON as these.</summary>
    public static class Json
    {
        const int Deepest = 100;

        public static RawJson Raw(string text) { return new RawJson(text); }

        /// <summary>A number is a long or a double. A text that is not JSON: FormatException.</summary>
        public static object Read(string text) { return new JsonReader(text).ReadAll(); }

        /// <summary>Null when the text is not JSON, or not an object.</summary>
        public static Dictionary<string, object> ReadObject(string text)
        {
            try { return Read(text) as Dictionary<string, object>; }
            catch (FormatException) { return null; }
        }

        /// <summary>In one line.</summary>
        public static string Write(object value)
        {
            var text = new StringBuilder();
            Write(value, text, 0);
            return text.ToString();
        }

        static void Write(object value, StringBuilder text, int depth)
        {
            if (depth > Deepest) throw new FormatException("JSON is nested more than " + Deepest + " deep");
            if (value == null) text.Append("null");
            else if (value is string) WriteString((string)value, text);
            else if (value is bool) text.Append((bool)value ? "true" : "false");
            else if (value is RawJson) WriteRaw(((RawJson)value).Text, text);
            else if (value is double || value is float) WriteDouble((IFormattable)value, text);
            else if (IsNumber(value)) text.Append(((IFormattable)value).ToString(null, CultureInfo.InvariantCulture));
            else if (value is DateTime) WriteString(Time((DateTime)value), text);
            else if (value is IDictionary) WriteObject((IDictionary)value, text, depth);
            else if (value is IEnumerable) WriteList((IEnumerable)value, text, depth);
            else WriteString(Convert.ToString(value, CultureInfo.InvariantCulture), text);
        }

        public static string Time(DateTime time)
        {
            return time.ToUniversalTime().ToString("yyyy-MM-dd'T'HH:mm:ss.fff'Z'", CultureInfo.InvariantCulture);
        }

        static bool IsNumber(object value)
        {
            return value is int || value is long || value is decimal || value is uint || value is ulong || value is short
                || value is ushort || value is byte || value is sbyte;
        }

        static void WriteRaw(string raw, StringBuilder text)
        {
            Read(raw); // throws: a broken text would break the statement around it
            // a line break can stand between values only
            text.Append(raw.Replace('\n', ' ').Replace('\r', ' '));
        }

        static void WriteDouble(IFormattable number, StringBuilder text)
        {
            var digits = number.ToString("R", CultureInfo.InvariantCulture);
            // JSON has no NaN and no infinity
            text.Append(digits.IndexOfAny(new[] { 'N', 'I', '∞' }) >= 0 ? "null" : digits);
        }

        static void WriteObject(IDictionary members, StringBuilder text, int depth)
        {
            var mark = '{';
            foreach (DictionaryEntry member in members)
            {
                text.Append(mark);
                mark = ',';
                WriteString(Convert.ToString(member.Key, CultureInfo.InvariantCulture), text);
                text.Append(':');
                Write(member.Value, text, depth + 1);
            }
            text.Append(mark == '{' ? "{}" : "}");
        }

        static void WriteList(IEnumerable items, StringBuilder text, int depth)
        {
            var mark = '[';
            foreach (var item in items)
            {
                text.Append(mark);
                mark = ',';
                Write(item, text, depth + 1);
            }
            text.Append(mark == '[' ? "[]" : "]");
        }

        static void WriteString(string value, StringBuilder text)
        {
            text.Append('"');
            foreach (var letter in value)
            {
                if (letter == '"' || letter == '\\') text.Append('\\').Append(letter);
                else if (letter < ' ') text.Append("\\u").Append(((int)letter).ToString("x4"));
                else text.Append(letter);
            }
            text.Append('"');
        }
    }
}
