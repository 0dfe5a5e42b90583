using System;
using System.Collections.Generic;
using System.Globalization;

namespace GamesLrs
{
    /// <summary>
    /// Sends requests with endpoint and token. Answers wait until the next Step, so that all that follows from them happens
    /// in the thread of the game.
    /// </summary>
    sealed class Requests
    {
        sealed class UnderWay
        {
            public double Until;
            /// <summary>Set by any thread.</summary>
            public volatile HttpResponse Response;
            public Action<HttpResponse> Done;
        }

        readonly IHttp http;
        readonly LaunchSource source;
        readonly Action<string> onTrouble;
        readonly List<UnderWay> underWay = new List<UnderWay>();
        double now;
        string told;
        /// <summary>A new token that has not shown yet that it works.</summary>
        bool untried;

        public Launch Launch { get; private set; }

        /// <summary>Seconds by which the clock of this machine is behind that of the service; 0 below a minute.</summary>
        public long ClockOffset { get; private set; }

        /// <param name="onTrouble">told when the transport itself refuses, such as http where only https is allowed</param>
        public Requests(IHttp http, LaunchSource source, Action<string> onTrouble)
        {
            this.http = http;
            this.onTrouble = onTrouble;
            this.source = source;
            Launch = source.Found;
        }

        /// <param name="path">with its query</param>
        public HttpRequest Request(string method, string path, byte[] body)
        {
            var request = new HttpRequest { Method = method, Url = Launch.Root + path, Body = body };
            request.Headers["X-Experience-API-Version"] = "1.0.3";
            request.Headers["Authorization"] = Launch.Auth;
            if (body != null) request.Headers["Content-Type"] = "application/json";
            return request;
        }

        public void Send(HttpRequest request, Action<HttpResponse> done)
        {
            var one = new UnderWay { Until = now + HttpRequest.TimeoutSeconds, Done = done };
            underWay.Add(one);
            try { http.Send(request, response => one.Response = response ?? new HttpResponse()); }
            catch (Exception error)
            {
                one.Response = new HttpResponse();
                if (told != error.Message) onTrouble(told = error.Message);
            }
        }

        /// <summary>Hands out the answers that have come.</summary>
        public void Step(double time)
        {
            now = time;
            for (var i = 0; i < underWay.Count; i++)
            {
                var one = underWay[i];
                if (one.Response == null && now < one.Until) continue;
                underWay.RemoveAt(i--);
                var response = one.Response ?? new HttpResponse();
                if (response.Status >= 200 && response.Status < 300) untried = false;
                Compare(response.Date);
                one.Done(response);
            }
        }

        void Compare(string date)
        {
            DateTime there;
            if (!DateTime.TryParse(date, CultureInfo.InvariantCulture, DateTimeStyles.AdjustToUniversal, out there)) return;
            var offset = (long)(there - DateTime.UtcNow).TotalSeconds;
            ClockOffset = Math.Abs(offset) > 60 ? offset : 0;
        }

        /// <summary>After a 401: true when there is a token by now that was not refused.</summary>
        public bool Renew(string refused)
        {
            if (Launch.Auth != refused) return true;
            if (untried) return false;
            var newer = source.Newer(Launch);
            if (newer == null) return false;
            Launch = newer;
            return untried = true;
        }

        /// <summary>The bad statements of a batch that was refused, by their index; a service may name none.</summary>
        public static SortedDictionary<int, string> Faults(HttpResponse response, int count)
        {
            var faults = new SortedDictionary<int, string>();
            var body = Json.ReadObject(response.Text);
            object list;
            if (body == null || !body.TryGetValue("faults", out list) || !(list is List<object>)) return faults;
            foreach (var one in (List<object>)list)
            {
                var fault = one as Dictionary<string, object>;
                object index, message;
                if (fault == null || !fault.TryGetValue("index", out index) || !(index is long)) continue;
                if ((long)index < 0 || (long)index >= count) continue;
                faults[(int)(long)index] = fault.TryGetValue("message", out message) ? message as string : null;
            }
            return faults;
        }

        /// <summary>The service's reason, from the body of a refusal.</summary>
        public static string Reason(HttpResponse response)
        {
            object reason = null;
            var body = Json.ReadObject(response.Text);
            if (body != null && (body.TryGetValue("message", out reason) || body.TryGetValue("error", out reason)) && reason is string)
                return (string)reason;
            return response.Status == 0 ? "There was no answer." : "The service answered " + response.Status + ".";
        }
    }
}
