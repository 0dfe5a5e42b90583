namespace GamesLrs
{
    /// <summary>
    /// What players do. Without an activity it is about the game itself. Each gives the id of its statement when it is kept on
    /// this machine; null: it was not queued.
    /// </summary>
    public sealed partial class Client
    {
        public string Initialized(Activity activity = null, Result result = null) { return Say("initialized", activity, result); }
        /// <summary>A number is the progress, from 0 to 1.</summary>
        public string Progressed(Activity activity = null, Result result = null) { return Say("progressed", activity, result); }
        public string Completed(Activity activity = null, Result result = null) { return Say("completed", activity, result); }
        public string Passed(Activity activity = null, Result result = null) { return Say("passed", activity, result); }
        public string Failed(Activity activity = null, Result result = null) { return Say("failed", activity, result); }
        public string Scored(Activity activity = null, Result result = null) { return Say("scored", activity, result); }
        public string Terminated(Activity activity = null, Result result = null) { return Say("terminated", activity, result); }
        public string Answered(Activity activity = null, Result result = null) { return Say("answered", activity, result); }
        public string Accessed(Activity activity = null, Result result = null) { return Say("accessed", activity, result); }
        public string Skipped(Activity activity = null, Result result = null) { return Say("skipped", activity, result); }
        public string Selected(Activity activity = null, Result result = null) { return Say("selected", activity, result); }
        public string Unlocked(Activity activity = null, Result result = null) { return Say("unlocked", activity, result); }
        public string Interacted(Activity activity = null, Result result = null) { return Say("interacted", activity, result); }
        public string Used(Activity activity = null, Result result = null) { return Say("used", activity, result); }
        public string Pressed(Activity activity = null, Result result = null) { return Say("pressed", activity, result); }
        public string Released(Activity activity = null, Result result = null) { return Say("released", activity, result); }

        /// <param name="verb">one of Verbs.Iris</param>
        public string Say(string verb, Activity activity = null, Result result = null)
        {
            return Add(() => Statements.Say(requests.Launch, verb, activity, result));
        }
    }
}
