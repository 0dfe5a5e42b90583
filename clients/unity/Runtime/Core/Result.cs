using System.Collections.Generic;
using System.Globalization;

namespace GamesLrs
{
    /// <summary>A number is the scaled score, from -1 to 1.</summary>
    public sealed class Score
    {
        public double? Scaled, Raw, Min, Max;

        public static implicit operator Score(double scaled) { return new Score { Scaled = scaled }; }

        internal Dictionary<string, object> Members()
        {
            var members = new Dictionary<string, object>();
            if (Scaled != null) members["scaled"] = Scaled;
            if (Raw != null) members["raw"] = Raw;
            if (Min != null) members["min"] = Min;
            if (Max != null) members["max"] = Max;
            return members;
        }
    }

    /// <summary>How it ended. A number alone is the progress of Progressed, from 0 to 1, and the scaled score elsewhere.</summary>
    public sealed class Result
    {
        internal const string ProgressExtension = Verbs.Profile + "/extensions/progress";
        double? number;

        public Score Score;
        public bool? Success;
        public bool? Completion;
        public string Response;
        /// <summary>How much is done, from 0 to 1.</summary>
        public double? Progress;
        /// <summary>ISO 8601, such as PT90S.</summary>
        public string Duration;
        public readonly Dictionary<string, object> Extensions = new Dictionary<string, object>();

        /// <summary>The duration in seconds.</summary>
        public double Seconds
        {
            set { Duration = "PT" + value.ToString("0.##", CultureInfo.InvariantCulture) + "S"; }
        }

        public static implicit operator Result(double number) { return new Result { number = number }; }

        /// <summary>With what the verb says by itself: completed is a completion.</summary>
        internal static Dictionary<string, object> Of(string verb, Result given)
        {
            var members = new Dictionary<string, object>();
            if (verb == "completed") members["completion"] = true;
            if (verb == "passed") members["success"] = true;
            if (verb == "failed") members["success"] = false;
            if (given == null) return members;
            var extensions = new Dictionary<string, object>(given.Extensions);
            var score = given.Score;
            var progress = given.Progress;
            if (given.number != null && verb == "progressed") progress = given.number;
            else if (given.number != null) score = given.number.Value;
            if (progress != null) extensions[ProgressExtension] = progress;
            if (score != null) members["score"] = score.Members();
            if (given.Success != null) members["success"] = given.Success;
            if (given.Completion != null) members["completion"] = given.Completion;
            if (given.Response != null) members["response"] = given.Response;
            if (given.Duration != null) members["duration"] = given.Duration;
            if (extensions.Count > 0) members["extensions"] = extensions;
            return members;
        }
    }
}
