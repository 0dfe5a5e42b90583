// The part of Unity that the package uses, so that its layer compiles and runs without Unity. The names are Unity's.
using System;
using System.Collections.Generic;
using System.Net.Http;
using System.Net.Http.Headers;
using System.Threading.Tasks;

namespace UnityEngine
{
    public class Object
    {
        public static void DontDestroyOnLoad(Object kept) { }
    }

    public class Component : Object { }
    public class MonoBehaviour : Component { }

    public sealed class GameObject : Object
    {
        public static readonly List<MonoBehaviour> Behaviours = new List<MonoBehaviour>();
        public GameObject(string name) { }

        public T AddComponent<T>() where T : MonoBehaviour, new()
        {
            var behaviour = new T();
            Behaviours.Add(behaviour);
            return behaviour;
        }
    }

    public enum RuntimePlatform { OSXPlayer, LinuxPlayer }

    public static class Application
    {
        public static string persistentDataPath { get { return Environment.GetEnvironmentVariable("DRIVER_FOLDER"); } }
        public static string dataPath { get { return persistentDataPath; } }
        public static string version { get { return "0.1"; } }
        public static string unityVersion { get { return "2020.3.48f1"; } }
        public static RuntimePlatform platform { get { return RuntimePlatform.LinuxPlayer; } }
    }

    public static class Time
    {
        public static float realtimeSinceStartup { get { return Environment.TickCount / 1000f; } }
    }

    public static class Debug
    {
        public static bool isDebugBuild { get { return true; } }
        public static void Log(object message) { Console.Error.WriteLine(message); }
        public static void LogWarning(object message) { Console.Error.WriteLine(message); }
    }

    public enum RuntimeInitializeLoadType { SubsystemRegistration }

    public sealed class RuntimeInitializeOnLoadMethodAttribute : Attribute
    {
        public RuntimeInitializeOnLoadMethodAttribute(RuntimeInitializeLoadType loadType) { }
    }

    public sealed class AddComponentMenu : Attribute
    {
        public AddComponentMenu(string menuName) { }
    }

    public static class JsonUtility
    {
        public static string ToJson(object value) { return "{}"; }
        public static T FromJson<T>(string json) { return default(T); }
    }
}

namespace NUnit.Framework
{
    public sealed class TestAttribute : Attribute { }

    public static class Assert
    {
        public static void AreEqual(object wanted, object found) { IsTrue(Equals(wanted, found)); }
        public static void IsTrue(bool holds) { if (!holds) throw new InvalidOperationException("a test has failed"); }
    }
}

namespace UnityEngine.Scripting
{
    public sealed class AlwaysLinkAssemblyAttribute : Attribute { }
    public sealed class PreserveAttribute : Attribute { }
}

namespace UnityEngine.Networking
{
    public class DownloadHandler { public string text { get; internal set; } }
    public sealed class DownloadHandlerBuffer : DownloadHandler { }

    public class UploadHandler { internal byte[] data; }
    public sealed class UploadHandlerRaw : UploadHandler
    {
        public UploadHandlerRaw(byte[] data) { this.data = data; }
    }

    public class AsyncOperation { }
    public sealed class UnityWebRequestAsyncOperation : AsyncOperation { }

    public sealed class UnityWebRequest : IDisposable
    {
        static readonly HttpClient client =
            new HttpClient(new HttpClientHandler { AllowAutoRedirect = false, UseCookies = false });
        readonly HttpRequestMessage message;
        readonly Dictionary<string, string> headers = new Dictionary<string, string>();
        Task<HttpResponseMessage> answer;

        public UnityWebRequest(string url, string method)
        {
            message = new HttpRequestMessage(new HttpMethod(method), url);
            message.Headers.ExpectContinue = false;
        }

        public DownloadHandler downloadHandler { get; set; }
        public UploadHandler uploadHandler { get; set; }
        public int timeout { get; set; }
        public int redirectLimit { get; set; }
        public long responseCode { get { return Failed ? 0 : (long)answer.Result.StatusCode; } }

        bool Failed { get { return answer.IsFaulted || answer.IsCanceled; } }

        public void SetRequestHeader(string name, string value) { headers[name] = value; }

        public UnityWebRequestAsyncOperation SendWebRequest()
        {
            if (uploadHandler != null) message.Content = new ByteArrayContent(uploadHandler.data);
            foreach (var header in headers)
            {
                if (header.Key != "Content-Type") message.Headers.TryAddWithoutValidation(header.Key, header.Value);
                else message.Content.Headers.ContentType = new MediaTypeHeaderValue(header.Value);
            }
            answer = client.SendAsync(message);
            return new UnityWebRequestAsyncOperation();
        }

        public bool isDone
        {
            get
            {
                if (!answer.IsCompleted) return false;
                if (!Failed) downloadHandler.text = answer.Result.Content.ReadAsStringAsync().Result;
                return true;
            }
        }

        public string GetResponseHeader(string name)
        {
            IEnumerable<string> values;
            return !Failed && answer.Result.Headers.TryGetValues(name, out values) ? string.Join(", ", values) : null;
        }

        public void Dispose() { message.Dispose(); }
    }
}
